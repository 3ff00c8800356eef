import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { scaled } from '../support/slowness.js';
import { ClusterTopology } from '../support/topology/cluster.topology.js';
import type { TopologyServer } from '../support/topology/topology.server.js';
import { ClusterStage } from './cluster.stage.js';

/** Longer than any of these tests: nothing is to fail over. */
const NEVER = ['--cluster-node-timeout', '600000', '--cluster-require-full-coverage', 'no'];

let topology: ClusterTopology;
let stage: ClusterStage;
beforeAll(async () => {
  topology = await ClusterTopology.start({ args: NEVER });
});
afterAll(async () => {
  await topology.stop();
});
beforeEach(() => {
  stage = new ClusterStage(topology);
});
afterEach(async () => {
  await stage.close();
});

async function aMaster(): Promise<TopologyServer> {
  const [master] = await topology.masters();
  if (master === undefined) throw new Error('there is no master');
  return master;
}

/** The name of a lock that another master has. */
async function nameElsewhere(than: TopologyServer): Promise<string> {
  for (let index = 0; ; index += 1) {
    const name = `elsewhere ${index}`;
    if ((await topology.masterOf(stage.slotOf(name))) !== than) return name;
  }
}

describe('an application that starts', () => {
  test(
    'while a master stands still has the locks of the others, in bounded time',
    async () => {
      const still = await aMaster();
      const name = await nameElsewhere(still);
      await still.pause();
      try {
        // So many that some of them ask the master that stands still, several times in a row.
        const services = await Promise.all(Array.from({ length: 12 }, () => stage.open()));
        for (const service of services) {
          const held = await service.getLock(name).tryLock({ waitTime: scaled(2000) });
          expect(held?.isHeld).toBe(true);
          await held?.unlock();
        }
      } finally {
        await still.resume();
      }
    },
    scaled(20_000),
  );

  test(
    'while a master is busy with a script does not take the wrong channels for that',
    async () => {
      const busy = await aMaster();
      const name = await nameElsewhere(busy);
      await busy.admin.config('SET', 'busy-reply-threshold', '1');
      // What is sent behind the script on its own connection would wait for its end.
      const other = busy.admin.duplicate();
      const script = other.eval('while true do end', 0).catch(() => undefined);
      const opening = Promise.all(Array.from({ length: 6 }, () => stage.open()));
      const [first, ...rest] = await opening.finally(async () => {
        await busy.admin.script('KILL');
        await script;
        other.disconnect();
      });
      const held = await first?.getLock(name).lock();
      const waiting = rest.map((service) => service.getLock(name).lock());
      await stage.sleepers(name, waiting.length);
      expect((await stage.channels()).classic).toEqual([]);
      await held?.unlock();
      await Promise.all(waiting.map(async (next) => await (await next).unlock()));
    },
    scaled(30_000),
  );
});

test('a job that is started by hand, as the first call on a cluster that connects later, is not waited for without end', async () => {
  const other = await stage.open();
  // Redis knows the job from now on, and no instance runs it.
  await other.runOnce('once', Date.now(), () => undefined);
  const service = await stage.open({}, true);
  expect(await service.jobs.runNow('once', { timeout: 300 })).toBe(false);
  expect(await service.jobs.forget('once')).toBe(true);
});
