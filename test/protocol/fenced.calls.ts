import {
  fencedAcquire,
  fencedReadToken,
  fencedTransfer,
  fencedWait,
} from '../../libs/distributed-lock/src/scripts/generated/lua.scripts.js';
import type { LuaScript } from '../../libs/distributed-lock/src/script-runner/lua.script.js';
import { prefixName } from '../../libs/distributed-lock/src/scripts/wire.names.js';
import type { Names, ProtocolStage } from './protocol.stage.js';

/** One operation of a fenced lock's own scripts, ready for any lock. */
export interface FencedCall {
  readonly script: LuaScript;
  readonly keys: (names: Names) => readonly string[];
  /** Of a call, before those of its operations. */
  readonly shared: readonly (string | number)[];
  readonly args: (names: Names) => readonly (string | number)[];
}

/** The keys of a lock that has a queue of processes. */
const queued = (names: Names) => [names.lock, counterOf(names), names.waiting];

/** @param waits 1 for a caller that is ready to wait */
export const acquire = (
  holder: string,
  lease: number | string,
  count: number | string,
  waits: 0 | 1 = 0,
): FencedCall => ({
  script: fencedAcquire,
  keys: queued,
  shared: [],
  args: () => [holder, lease, count, waits],
});

export const wait = (holder: string, lease: number | string, ticket = 0): FencedCall => ({
  script: fencedWait,
  keys: queued,
  shared: ['PUBLISH', lease, 60_000, 0],
  args: ({ channel }) => [holder, ticket, 0, channel],
});

export const transfer = (from: string, to: string, lease: number | string): FencedCall => ({
  script: fencedTransfer,
  keys: (names) => [names.lock, counterOf(names)],
  shared: ['PUBLISH'],
  args: ({ channel }) => [from, to, lease, channel],
});

/** The key of a lock's last token. */
export function counterOf(names: Names): string {
  return prefixName('redisson_lock_token', names.lock);
}

/** Sends one operation of each pair, all of one script, in one call. */
export async function sendBatch(
  stage: ProtocolStage,
  batch: readonly (readonly [Names, FencedCall])[],
): Promise<readonly unknown[][]> {
  const [first] = batch;
  if (first === undefined) throw new Error('a batch has at least one operation');
  const replies = await stage.call(
    first[1].script,
    batch.flatMap(([names, { keys }]) => keys(names)),
    [...first[1].shared, ...batch.flatMap(([names, { args }]) => args(names))],
  );
  return rows(replies);
}

/** Sends one operation. */
export async function send(
  stage: ProtocolStage,
  names: Names,
  call: FencedCall,
): Promise<readonly unknown[]> {
  const [reply] = await sendBatch(stage, [[names, call]]);
  return reply ?? [];
}

/** Asks the locks for their last tokens. */
export async function readTokens(stage: ProtocolStage, all: readonly Names[]): Promise<readonly unknown[][]> {
  return rows(await stage.call(fencedReadToken, all.map(counterOf), []));
}

/** The store's time, in microseconds. */
export async function microseconds(stage: ProtocolStage): Promise<bigint> {
  const [seconds, micro] = await stage.redis.time();
  return BigInt(Number(seconds)) * 1_000_000n + BigInt(Number(micro));
}

function rows(replies: unknown): unknown[][] {
  if (!Array.isArray(replies)) throw new Error(`a script answered ${String(replies)}`);
  return replies.map((reply) => (Array.isArray(reply) ? reply : [reply]));
}
