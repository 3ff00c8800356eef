import * as scripts from '../../libs/distributed-lock/src/scripts/generated/lua.scripts.js';
import type { Counter, Operation } from './counter.stage.js';

type Value = number | string;

/** How long the tests' records live, in ms; exact to the tables. */
export const KEEP = 60_000;

const withRecord = (call: string) => (counter: Counter) => [counter.key, counter.record(call)];

export const acquire = (wanted: Value, call = 'c', keep: Value = KEEP): Operation => ({
  script: scripts.semaphoreAcquire,
  keys: withRecord(call),
  args: () => [wanted, keep],
});

export const undo = (call = 'c', keep: Value = KEEP): Operation => ({
  script: scripts.semaphoreUndo,
  keys: withRecord(call),
  args: (counter) => [keep, counter.semaphoreChannel],
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
  keys: withRecord(call),
  args: (counter) => [change, payload, where, keep, counter.semaphoreChannel],
});

export const drain = (call = 'c', keep: Value = KEEP): Operation => ({
  script: scripts.semaphoreDrain,
  keys: withRecord(call),
  args: () => [keep],
});

export const set = (wanted: Value, ttl: Value = 0, call = 'c', keep: Value = KEEP): Operation => ({
  script: scripts.semaphoreSet,
  keys: withRecord(call),
  args: (counter) => [wanted, ttl, keep, counter.semaphoreChannel],
});

export const look = (): Operation => ({
  script: scripts.semaphoreInspect,
  keys: ({ key }) => [key],
  args: () => [],
});

export const remove = (): Operation => ({
  script: scripts.semaphoreDelete,
  keys: ({ key, timeout }) => [key, timeout],
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
