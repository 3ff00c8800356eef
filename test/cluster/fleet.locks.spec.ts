import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { scaled } from '../support/slowness.js';
import { ClusterTopology } from '../support/topology/cluster.topology.js';
import { ClusterStage } from './cluster.stage.js';

let topology: ClusterTopology;
let stage: ClusterStage;
beforeAll(async () => {
  topology = await ClusterTopology.start({});
}, scaled(60_000));
afterAll(async () => {
  await topology.stop();
});
beforeEach(() => {
  stage = new ClusterStage(topology);
});
afterEach(async () => {
  await stage.close();
});

test(
  'fleet.locks() finds the locks of all masters of a cluster, page by page',
  { timeout: scaled(30_000) },
  async () => {
    const locks = await stage.open();
    const names = Array.from({ length: 60 }, (_, at) => `order:${at}`);
    const held = await Promise.all(names.map((name) => locks.getLock(name).lock()));
    const found = new Set<string>();
    const pages: number[] = [];
    for (let from: string | undefined = '0.0'; from !== undefined;) {
      const page: Awaited<ReturnType<typeof locks.fleet.locks>> = await locks.fleet.locks({
        prefix: 'order:',
        limit: 1,
        from,
      });
      pages.push(page.locks.length);
      for (const { name } of page.locks) found.add(name);
      from = page.next;
    }
    expect(found).toEqual(new Set(names));
    // Each master has its own.
    expect(pages.length).toBeGreaterThanOrEqual(3);
    expect(await locks.fleet.lock('order:7')).toMatchObject({
      name: 'order:7',
      kind: 'lock',
      holders: [{ count: 1 }],
    });
    await Promise.all(held.map((handle) => handle.unlock()));
  },
);
