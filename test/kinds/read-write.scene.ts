import type { LockHandle, ReadWriteLock } from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import type { LockModuleSettings } from '../../libs/distributed-lock/src/contracts/module.options.js';
import { until } from '../support/until.js';
import { KindStage } from './kind.stage.js';

/** What the lock is called in every scene. */
export const name = 'x';

/** Two services, and what each of them calls "x". */
export interface ReadWriteScene {
  readonly stage: KindStage;
  readonly one: ReadWriteLock;
  readonly other: ReadWriteLock;
}

/** A test of two services. */
export function play(
  act: (scene: ReadWriteScene) => Promise<void>,
  settings: LockModuleSettings = {},
  where: 'shared' | 'own' = 'shared',
): () => Promise<void> {
  return () =>
    KindStage.play(where, async (stage) => {
      const one = await stage.faults.open(settings);
      const other = await stage.faults.open(settings);
      await act({ stage, one: one.getReadWriteLock(name), other: other.getReadWriteLock(name) });
    });
}

/** Waits until the intent of a waiting writer is in Redis. */
export async function writerWaits({ stage }: ReadWriteScene): Promise<void> {
  const intent = `{${stage.faults.key(name)}}:write_intent`;
  await until('a writer waits', async () => (await stage.faults.admin.exists(intent)) === 1);
}

/** Waits until that many services listen for releases. */
export async function listened({ stage }: ReadWriteScene, services: number): Promise<void> {
  const channel = stage.beside('redisson_rwlock', name);
  await until(
    'they listen',
    async () => Number((await stage.faults.admin.pubsub('NUMSUB', channel))[1]) === services,
  );
}

/** Whether something has not come about, though it had time for many round trips. */
export async function isPending({ one }: ReadWriteScene, waiting: Promise<LockHandle>): Promise<boolean> {
  const state = { isPending: true };
  const settle = () => {
    state.isPending = false;
  };
  waiting.then(settle, settle);
  const start = performance.now();
  while (state.isPending && performance.now() - start < 150) await one.readLock().isLocked();
  return state.isPending;
}
