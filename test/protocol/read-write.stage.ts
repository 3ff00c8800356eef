import { freeState, holdId, snapshotOf, type RwState } from '../models/read-write.state.js';
import { rounded, StoreDump, type Snapshot } from '../models/store.dump.js';
import type { ProtocolStage } from './protocol.stage.js';
import type { Call, RwNames } from './read-write.calls.js';

/** Durations of the tables are multiples of it, in ms: what really passes during a test is lost in rounding. */
export const S = 100_000;
/** No ttl. */
export const NONE = -1;
/** A hold whose key has run out. */
export const DEAD = 0;

/** What is left of each hold, by holder, the first one first. */
export type Holds = Readonly<Record<string, readonly number[]>>;

export const free = freeState;

/** A lock that is read. Its ttl is that of the longest hold, unless it is said. */
export function reading(holds: Holds, ttl = Math.max(...Object.values(holds).flat())): RwState {
  const reads = new Map(Object.entries(holds).map(([holder, leases]) => [holder, leases.length]));
  return withKeys({ ...freeState(), hash: { mode: 'read', ttl, reads, writer: undefined } }, holds);
}

/** A lock that is written by `holder`, who may read as well. */
export function writing(holder: string, count: number, ttl: number, ...leases: number[]): RwState {
  const reads = new Map(leases.length > 0 ? [[holder, leases.length]] : []);
  const hash = { mode: 'write' as const, ttl, reads, writer: { holder, count } };
  return withKeys({ ...freeState(), hash }, { [holder]: leases });
}

/** With hold keys, whoever they belong to. */
export function withKeys(state: RwState, holds: Holds): RwState {
  const keys = Object.entries(holds).flatMap(([holder, leases]) =>
    leases.map((left, index): [string, number] => [holdId(holder, index + 1), left]),
  );
  return { ...state, holds: new Map([...state.holds, ...keys.filter(([, left]) => left !== DEAD)]) };
}

/** With a writer that waits. */
export function waitedFor(state: RwState, holder: string, ttl: number): RwState {
  return { ...state, intent: { holder, ttl } };
}

/** Sends one operation of each pair, all of one script and with the same shared arguments, in one call. Times are rounded. */
export async function sendBatch(
  stage: ProtocolStage,
  batch: readonly (readonly [RwNames, Call])[],
): Promise<unknown[]> {
  const [first] = batch;
  if (first === undefined) throw new Error('a batch has at least one operation');
  const { script, shared } = first[1];
  const keys = batch.flatMap(([names, one]) => one.keys(names));
  const replies = await stage.call(script, keys, [
    ...shared,
    ...batch.flatMap(([names, one]) => one.args(names)),
  ]);
  // What is no array is the row of all of them; a row that is a plain number is given as one of that number.
  const rows: unknown[] = Array.isArray(replies) ? replies : batch.map(() => replies);
  return rows.map((row) => (typeof row === 'number' ? [row] : coarse(row)));
}

/** Sends one operation. */
export async function send(stage: ProtocolStage, names: RwNames, one: Call): Promise<unknown> {
  const [reply] = await sendBatch(stage, [[names, one]]);
  return reply;
}

/** Counts are far below what is rounded, but for the highest one. */
export function coarse(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(coarse);
  return typeof value === 'number' && value > 1000 ? Math.round(value / S) * S : value;
}

export async function put({ redis }: ProtocolStage, names: RwNames, state: RwState): Promise<void> {
  for (const [key, stored] of Object.entries(snapshotOf(state, names))) {
    if (stored.type === 'hash') await redis.hset(key, stored.fields);
    else if (stored.type === 'string') await redis.set(key, stored.value);
    if (stored.ttl > 0) await redis.pexpire(key, stored.ttl);
  }
}

/** All keys of a lock, to be compared with {@link shown}. */
export async function seen({ redis }: ProtocolStage, { lock, suffix }: RwNames): Promise<Snapshot> {
  return rounded(await new StoreDump(redis, [lock, suffix('*')]).read(), S);
}

export function shown(state: RwState, names: RwNames): Snapshot {
  return snapshotOf(state, names);
}

/** Deletes all keys of a lock, of whatever type. */
export async function clear({ redis }: ProtocolStage, { lock, suffix }: RwNames): Promise<void> {
  await redis.del(lock, ...(await redis.keys(suffix('*'))));
}
