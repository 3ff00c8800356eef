import type { LuaScript } from '../../libs/distributed-lock/src/script-runner/lua.script.js';
import {
  latchChannel,
  semaphoreChannel,
  suffixName,
} from '../../libs/distributed-lock/src/scripts/wire.names.js';
import { coarse, type ProtocolStage } from './protocol.stage.js';

/** A key that counts: its value, and its ttl rounded as {@link coarse} does (-1: none); `none` without a key. */
export type Amount = Readonly<{ value: string; ttl: number }> | 'none';

export const amount = (value: number | string, ttl = -1): Amount => ({ value: `${value}`, ttl });

/** The names of one semaphore or latch of a test. */
export interface Counter {
  readonly key: string;
  /** The permits that are taken, where they expire. */
  readonly timeout: string;
  /** The queue of processes. */
  readonly waiting: string;
  /** The places that were given permits. */
  readonly given: string;
  readonly semaphoreChannel: string;
  readonly latchChannel: string;
  /** The record of a call. */
  record(call: string): string;
}

export function counterOf(key: string): Counter {
  return {
    key,
    timeout: suffixName(key, 'timeout'),
    waiting: suffixName(key, 'waiting'),
    given: suffixName(key, 'given'),
    semaphoreChannel: semaphoreChannel(key),
    latchChannel: latchChannel(key),
    record: (call) => suffixName(key, `call:${call}`),
  };
}

/** One operation of a batch script, ready for any counter. */
export interface Operation {
  readonly script: LuaScript;
  /** What is sent once per call, but for the command that publishes. @default nothing */
  readonly shared?: readonly (string | number)[];
  readonly keys: (counter: Counter) => readonly string[];
  readonly args: (counter: Counter) => readonly (string | number)[];
}

/** Sends one operation of each pair, all of one script, in one call. */
export async function sendAll(
  stage: ProtocolStage,
  batch: readonly (readonly [Counter, Operation])[],
): Promise<unknown[]> {
  const script = batch[0]?.[1].script;
  if (script === undefined) throw new Error('a batch has at least one operation');
  const shared = script.sharedArgs === 0 ? [] : ['PUBLISH'];
  const replies = await stage.call(
    script,
    batch.flatMap(([counter, operation]) => operation.keys(counter)),
    [
      ...shared,
      ...(batch[0]?.[1].shared ?? []),
      ...batch.flatMap(([counter, operation]) => operation.args(counter)),
    ],
  );
  if (!Array.isArray(replies)) throw new Error(`${script.name} answered ${String(replies)}`);
  return replies;
}

/** Sends one operation. */
export async function send(stage: ProtocolStage, counter: Counter, operation: Operation): Promise<unknown> {
  const [reply] = await sendAll(stage, [[counter, operation]]);
  return reply;
}

/** Sends one operation after the other. */
export async function play(
  stage: ProtocolStage,
  counter: Counter,
  ...operations: readonly Operation[]
): Promise<unknown[]> {
  const replies = [];
  for (const operation of operations) replies.push(coarse(await send(stage, counter, operation)));
  return replies;
}

export async function put({ redis }: ProtocolStage, key: string, state: Amount): Promise<void> {
  await redis.del(key);
  if (state === 'none') return;
  await redis.set(key, state.value);
  if (state.ttl > 0) await redis.pexpire(key, state.ttl);
}

export async function read({ redis }: ProtocolStage, key: string): Promise<Amount> {
  const value = await redis.get(key);
  return value === null ? 'none' : { value, ttl: Number(coarse(await redis.pttl(key))) };
}

/** Deletes whatever belongs to a counter. */
export async function sweep({ redis }: ProtocolStage, { key }: Counter): Promise<void> {
  const keys = await redis.keys(`*${key}*`);
  if (keys.length > 0) await redis.del(...keys);
}
