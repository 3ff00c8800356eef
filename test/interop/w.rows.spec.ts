import { expect, test } from 'vitest';
import { slotOf } from '../../libs/distributed-lock/src/redis/key.slot.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { clusterRows } from './cluster.rows.js';

const stage = clusterRows();

/** How long N waits for replicas, in ms. */
const ACKED_WITHIN = 300;

const KINDS = ['reentrant', 'fair', 'fenced', 'write'] as const;

test('W1 the replicas are paused and N asks for acknowledgements: N fails, J finds the lock free; then both get it', async () => {
  const { observer, notes } = stage();
  const { topology } = observer;
  const node = await stage().node({ replication: { acks: 1, timeout: ACKED_WITHIN } });
  const lockOf = {
    reentrant: (name: string) => node.getLock(name),
    fair: (name: string) => node.getFairLock(name),
    fenced: (name: string) => node.getFencedLock(name),
    write: (name: string) => node.getReadWriteLock(name).writeLock(),
  };
  // Acknowledged, as long as there are replicas that answer.
  expect(await (await lockOf.reentrant('w1').lock()).unlock()).toBe('released');
  const masters = await Promise.all(KINDS.map((kind) => topology.masterOf(slotOf(`w1:${kind}`))));
  const replicas = (await Promise.all([...new Set(masters)].map((each) => topology.replicasOf(each)))).flat();
  await Promise.all(replicas.map((replica) => replica.pause()));
  try {
    for (const kind of KINDS) {
      const name = `w1:${kind}`;
      const asked = performance.now();
      await expect(lockOf[kind](name).tryLock(), kind).rejects.toMatchObject({ code: 'NOT_REPLICATED' });
      const took = performance.now() - asked;
      notes.push(`${kind}: NOT_REPLICATED after ${took.toFixed(0)} ms`);
      expect(took).toBeGreaterThan(ACKED_WITHIN - 50);
      expect(took).toBeLessThan(ACKED_WITHIN + scaled(1000));
      const j = stage().owner('sharded').lock(kind, name);
      await until(`J finds the ${kind} lock free`, async () => !(await j.isLocked()));
      expect(await observer.redis.exists(name)).toBe(0);
    }
  } finally {
    await Promise.all(replicas.map((replica) => replica.resume()));
  }
  await topology.complete();
  for (const kind of KINDS) {
    const j = stage().owner('sharded').lock(kind, `w1:${kind}`);
    await j.lock();
    await j.unlock();
    const held = await lockOf[kind](`w1:${kind}`).lock({ waitTime: scaled(5000) });
    expect(await held.unlock()).toBe('released');
  }
});
