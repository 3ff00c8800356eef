import type { Lock } from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { suffixName } from '../../libs/distributed-lock/src/scripts/wire.names.js';
import type { KindStage } from '../kinds/kind.stage.js';
import type { KindWorker } from '../kinds/kind.worker.js';
import { until } from '../support/until.js';

/** How long a process that was notified of its turn may take to come, in ms. */
export const COMES_WITHIN = 30;

/** The kinds of lock whose processes wait in a queue in Redis. */
export const QUEUED = ['reentrant', 'fenced'] as const;
export type QueuedKind = (typeof QUEUED)[number];

/** The lock "x" of a service. */
export function lockOf(service: LockService | undefined, kind: QueuedKind): Lock {
  if (service === undefined) throw new Error('no service');
  return kind === 'fenced' ? service.getFencedLock('x') : service.getLock('x');
}

/** Processes that have a place in the queue of "x". */
export async function places(stage: KindStage, count: number): Promise<void> {
  const key = suffixName(stage.faults.key('x'), 'waiting');
  const read = () => stage.faults.admin.zcount(key, 1, '+inf');
  await until(`${count} processes have a place`, async () => (await read()) === count);
}

/** Lets a service hold "x", and processes wait for it, one after the other. */
export async function queueUp(
  stage: KindStage,
  kind: QueuedKind,
  count: number,
): Promise<{ readonly unlock: () => Promise<unknown>; readonly workers: readonly KindWorker[] }> {
  const service = await stage.faults.open();
  const held = await lockOf(service, kind).lock();
  const workers = await Promise.all(Array.from({ length: count }, () => stage.fork()));
  for (const [index, worker] of workers.entries()) {
    worker.take(index, kind, 'x');
    await places(stage, index + 1);
  }
  return { unlock: () => held.unlock(), workers };
}

/** Nothing is left of the lock but a fencing token, before its processes are killed. */
export async function settled(stage: KindStage): Promise<void> {
  const { services } = stage.faults;
  await until('nothing is left', async () => (await services.keys()).every(isToken));
  await until('no channel is left', async () => (await services.channels()).length === 0);
}

const isToken = (key: string) => key.startsWith('redisson_lock_token:');

/** How long a process waited since `begun`, in ms. @param begun in µs of the machine's clock */
export async function granted(worker: KindWorker | undefined, id: number, begun: number): Promise<number> {
  const message = await worker?.told('granted', id);
  return ((message?.at ?? Infinity) - begun) / 1000;
}
