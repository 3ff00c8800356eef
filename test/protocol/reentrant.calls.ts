import {
  reentrantAcquire,
  reentrantForceRelease,
  reentrantInspect,
  reentrantPass,
  reentrantRelease,
  reentrantTransfer,
  reentrantWait,
  renewalRenew,
} from '../../libs/distributed-lock/src/scripts/generated/lua.scripts.js';
import type { LuaScript } from '../../libs/distributed-lock/src/script-runner/lua.script.js';
import type { Names, ProtocolStage } from './protocol.stage.js';

/** One operation of a batch script, ready for any lock. */
export interface Call {
  readonly script: LuaScript;
  readonly shared: readonly (string | number)[];
  /** @default the lock alone */
  readonly keys?: (names: Names) => readonly string[];
  readonly args: (names: Names) => readonly (string | number)[];
}

/** The keys of a lock that has a queue of processes. */
const queued = ({ lock, waiting }: Names) => [lock, waiting];

/** @param waits 1 for a caller that is ready to wait */
export const acquire = (
  holder: string,
  lease: number | string,
  count: number | string,
  waits: 0 | 1 = 0,
): Call => ({
  script: reentrantAcquire,
  keys: queued,
  shared: [lease, count, waits],
  args: () => [holder],
});

export const release = (holder: string, count: number | string, lease: number | string): Call => ({
  script: reentrantRelease,
  keys: queued,
  shared: ['PUBLISH', count, lease],
  args: ({ channel }) => [holder, channel],
});

export interface Wait {
  readonly lease?: number | string;
  readonly life?: number | string;
  readonly soon?: number | string;
  readonly ticket?: number | string;
  readonly listens?: boolean;
}

export const wait = (
  holder: string,
  { lease = 10_000, life = 60_000, soon = 0, ticket = 0, listens = false }: Wait = {},
): Call => ({
  script: reentrantWait,
  keys: queued,
  shared: ['PUBLISH', lease, life, soon],
  args: ({ channel }) => [holder, ticket, listens ? 1 : 0, channel],
});

export interface Pass {
  readonly absent?: string;
  readonly leaving?: string;
  readonly yields?: boolean;
  readonly lease?: number | string;
}

export const pass = ({ absent = '', leaving = '', yields = false, lease = 0 }: Pass = {}): Call => ({
  script: reentrantPass,
  keys: queued,
  shared: ['PUBLISH'],
  args: ({ channel }) => [absent, leaving, yields ? 1 : 0, lease, channel],
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
  keys: queued,
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
  const keys = batch.flatMap(([names, call]) => call.keys?.(names) ?? [names.lock]);
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
