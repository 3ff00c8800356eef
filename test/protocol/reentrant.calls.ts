import {
  reentrantAcquire,
  reentrantForceRelease,
  reentrantInspect,
  reentrantRelease,
  reentrantTransfer,
  renewalRenew,
} from '../../libs/distributed-lock/src/scripts/generated/lua.scripts.js';
import type { LuaScript } from '../../libs/distributed-lock/src/scripts/lua.script.js';
import type { Names, ProtocolStage } from './protocol.stage.js';

/** One operation of a batch script, ready for any lock. */
export interface Call {
  readonly script: LuaScript;
  readonly shared: readonly (string | number)[];
  readonly args: (names: Names) => readonly (string | number)[];
}

export const acquire = (holder: string, lease: number | string, count: number | string): Call => ({
  script: reentrantAcquire,
  shared: [lease, count],
  args: () => [holder],
});

export const release = (holder: string, count: number | string, lease: number | string): Call => ({
  script: reentrantRelease,
  shared: ['PUBLISH', count, lease],
  args: ({ channel }) => [holder, channel],
});

export const transfer = (from: string, to: string, lease: number | string): Call => ({
  script: reentrantTransfer,
  shared: ['PUBLISH'],
  args: ({ channel }) => [from, to, lease, channel],
});

export const renew = (holder: string, lease: number | string): Call => ({
  script: renewalRenew,
  shared: [lease],
  args: () => [holder],
});

export const forceRelease = (): Call => ({
  script: reentrantForceRelease,
  shared: ['PUBLISH'],
  args: ({ channel }) => [channel],
});

export const inspect = (holder: string): Call => ({
  script: reentrantInspect,
  shared: [],
  args: () => [holder],
});

/** Sends one operation of each pair, all of one script and with the same shared arguments, in one call. A row that is a plain number is given as one of that number. */
export async function sendBatch(
  stage: ProtocolStage,
  batch: readonly (readonly [Names, Call])[],
): Promise<unknown[]> {
  const [first] = batch;
  if (first === undefined) throw new Error('a batch has at least one operation');
  const { script, shared } = first[1];
  const keys = batch.map(([names]) => names.lock);
  const replies = await stage.call(script, keys, [
    ...shared,
    ...batch.flatMap(([names, call]) => call.args(names)),
  ]);
  // What is no array is the row of all of them.
  const rows: unknown[] = Array.isArray(replies) ? replies : batch.map(() => replies);
  if (rows.length !== batch.length) throw new Error(`${script.name} answered ${String(replies)}`);
  return rows.map((row) => (typeof row === 'number' ? [row] : row));
}

/** Sends one operation. */
export async function send(stage: ProtocolStage, names: Names, call: Call): Promise<unknown> {
  const [reply] = await sendBatch(stage, [[names, call]]);
  return reply;
}
