import * as scripts from '../../libs/distributed-lock/src/scripts/generated/lua.scripts.js';
import type { Counter, Operation } from './counter.stage.js';

type Value = number | string;

/** How long the tests' records live, in ms; exact to the tables. */
export const KEEP = 60_000;

const withRecord = (call: string) => (counter: Counter) => [counter.key, counter.record(call)];
const withQueue = (call: string) => (counter: Counter) => [
  counter.key,
  counter.record(call),
  counter.waiting,
  counter.given,
];

export const acquire = (wanted: Value, call = 'c', keep: Value = KEEP, waits = 0): Operation => ({
  script: scripts.semaphoreAcquire,
  keys: withQueue(call),
  args: () => [call, wanted, keep, waits],
});

export interface Wait {
  readonly keep?: Value;
  readonly life?: Value;
  readonly ticket?: Value;
  readonly listens?: boolean;
}

export const wait = (
  place: string,
  { keep = KEEP, life = 60_000, ticket = 0, listens = false }: Wait = {},
): Operation => ({
  script: scripts.semaphoreWait,
  shared: [keep, life],
  keys: withQueue(place),
  args: ({ semaphoreChannel }) => [place, ticket, listens ? 1 : 0, semaphoreChannel],
});

export const pass = ({ absent = '', leaving = '', yields = false, gives = false } = {}): Operation => ({
  script: scripts.semaphorePass,
  keys: ({ key, waiting, given }) => [key, waiting, given],
  args: ({ semaphoreChannel }) => [absent, leaving, yields ? 1 : 0, gives ? 1 : 0, semaphoreChannel],
});

export const undo = (call = 'c', keep: Value = KEEP): Operation => ({
  script: scripts.semaphoreUndo,
  keys: withQueue(call),
  args: (counter) => [call, keep, counter.semaphoreChannel],
});

export interface Add {
  readonly call?: string;
  readonly payload?: string;
  readonly where?: string;
  readonly keep?: Value;
}

export const add = (
  change: Value,
  { call = 'c', payload = 'value', where = 'anywhere', keep = KEEP }: Add = {},
): Operation => ({
  script: scripts.semaphoreAdd,
  keys: withQueue(call),
  args: (counter) => [change, payload, where, keep, counter.semaphoreChannel],
});

export const drain = (call = 'c', keep: Value = KEEP): Operation => ({
  script: scripts.semaphoreDrain,
  keys: withRecord(call),
  args: () => [keep],
});

export const set = (wanted: Value, ttl: Value = 0, call = 'c', keep: Value = KEEP): Operation => ({
  script: scripts.semaphoreSet,
  keys: withQueue(call),
  args: (counter) => [wanted, ttl, keep, counter.semaphoreChannel],
});

export const look = (): Operation => ({
  script: scripts.semaphoreInspect,
  keys: ({ key }) => [key],
  args: () => [],
});

export const remove = (): Operation => ({
  script: scripts.semaphoreDelete,
  keys: ({ key, timeout, given }) => [key, timeout, given],
  args: () => [],
});

export const forget = (keep: Value = 0, call = 'c'): Operation => ({
  script: scripts.callForget,
  keys: (counter) => [counter.record(call)],
  args: () => [keep],
});

export const countDown = (call = 'c', keep: Value = KEEP): Operation => ({
  script: scripts.latchCountDown,
  keys: withRecord(call),
  args: (counter) => [keep, counter.latchChannel],
});

export const close = (wanted: Value, call = 'c', keep: Value = KEEP): Operation => ({
  script: scripts.latchSet,
  keys: withRecord(call),
  args: (counter) => [wanted, keep, counter.latchChannel],
});

export const count = (): Operation => ({
  script: scripts.latchInspect,
  keys: ({ key }) => [key],
  args: () => [],
});

export const open = (): Operation => ({
  script: scripts.latchDelete,
  keys: ({ key }) => [key],
  args: (counter) => [counter.latchChannel],
});
