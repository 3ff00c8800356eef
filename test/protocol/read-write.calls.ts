import {
  readAcquire,
  readForceRelease,
  readInspect,
  readRelease,
  readRenew,
  writeAcquire,
  writeForceRelease,
  writeInspect,
  writePass,
  writeRelease,
  writeRenew,
  writeWait,
} from '../../libs/distributed-lock/src/scripts/generated/lua.scripts.js';
import type { LuaScript } from '../../libs/distributed-lock/src/script-runner/lua.script.js';
import { readWriteChannel, suffixName } from '../../libs/distributed-lock/src/scripts/wire.names.js';

/** The keys and the channel of one read/write lock. */
export interface RwNames {
  readonly lock: string;
  readonly intent: string;
  /** The queue of processes that wait to write. */
  readonly waiting: string;
  readonly channel: string;
  readonly suffix: (id: string) => string;
}

export function rwNames(lock: string): RwNames {
  const suffix = (id: string) => suffixName(lock, id);
  return {
    lock,
    suffix,
    intent: suffix('write_intent'),
    waiting: suffix('waiting'),
    channel: readWriteChannel(lock),
  };
}

/** One operation of a batch script, ready for any lock. */
export interface Call {
  readonly script: LuaScript;
  readonly keys: (names: RwNames) => readonly string[];
  readonly shared: readonly (string | number)[];
  readonly args: (names: RwNames) => readonly (string | number)[];
}

type Arg = number | string;

const lockOnly = ({ lock }: RwNames) => [lock];
const withIntent = ({ lock, intent }: RwNames) => [lock, intent];
const withWaiting = ({ lock, waiting }: RwNames) => [lock, waiting];
const withQueue = ({ lock, intent, waiting }: RwNames) => [lock, intent, waiting];
const call = (script: LuaScript, keys: Call['keys'], ...args: Arg[]): Call => ({
  script,
  keys,
  shared: [],
  args: () => args,
});
const told = (script: LuaScript, keys: Call['keys'], ...args: Arg[]): Call => ({
  script,
  keys,
  shared: ['PUBLISH'],
  args: ({ channel }) => [...args, channel],
});

export const read = (holder: string, lease: Arg, count: Arg): Call => ({
  ...call(readAcquire, withIntent, holder),
  shared: [lease, count],
});
export const unread = (holder: string, count: Arg, lease: Arg, write: Arg = 0) =>
  told(readRelease, withWaiting, holder, count, lease, write);
export const renewRead = (holder: string, lease: Arg) => told(readRenew, lockOnly, holder, lease);
export const lookRead = (holder: string) => call(readInspect, lockOnly, holder);
export const forceRead = () => told(readForceRelease, lockOnly);
export const write = (holder: string, lease: Arg, count: Arg, sleep: Arg = 0, waits: 0 | 1 = 0) =>
  call(writeAcquire, withQueue, holder, lease, count, sleep, waits);
export const unwrite = (holder: string, count: Arg, lease: Arg) =>
  told(writeRelease, withQueue, holder, count, lease);
export const renewWrite = (holder: string, lease: Arg) => call(writeRenew, lockOnly, holder, lease);
export const lookWrite = (holder: string) => call(writeInspect, lockOnly, holder);
export const forceWrite = () => told(writeForceRelease, lockOnly);

export interface WriterWait {
  readonly lease?: Arg;
  readonly life?: Arg;
  readonly soon?: Arg;
  readonly ticket?: Arg;
  readonly listens?: boolean;
}

export const waitToWrite = (
  holder: string,
  { lease = 100_000, life = 600_000, soon = 0, ticket = 0, listens = false }: WriterWait = {},
): Call => ({
  script: writeWait,
  keys: withQueue,
  shared: ['PUBLISH', lease, life, soon],
  args: ({ channel }) => [holder, ticket, listens ? 1 : 0, channel],
});

export const passWrite = ({ absent = '', leaving = '', yields = false, lease = 0 } = {}) =>
  told(writePass, withQueue, absent, leaving, yields ? 1 : 0, lease);
