import type { Snapshot, StoredKey } from './store.dump.js';

/** The hash; ttl in ms, -1 for none. */
export interface RwHash {
  mode: 'read' | 'write';
  ttl: number;
  /** Read holds by holder. */
  readonly reads: Map<string, number>;
  writer: { readonly holder: string; count: number } | undefined;
}

/** Everything that a read/write lock has in the store. */
export interface RwState {
  hash: RwHash | undefined;
  /** What is left of each hold key in ms, by {@link holdId}. */
  readonly holds: Map<string, number>;
  intent: { readonly holder: string; ttl: number } | undefined;
}

/** A holder in a reply that may be any of these. */
export class OneOf {
  constructor(readonly holders: readonly string[]) {}
}

export type Payload = '0' | '1' | '?';

/** What an operation answers and tells; times in ms. */
export interface Outcome {
  readonly reply: unknown;
  /** `?` is `1` or nothing: what the model takes for the same time may be some ms apart in the store. */
  readonly messages: readonly Payload[];
}

export const holdId = (holder: string, n: number): string => `${holder}:rwlock_timeout:${n}`;
export const freeState = (): RwState => ({ hash: undefined, holds: new Map(), intent: undefined });
export const outcome = (reply: unknown, ...messages: Payload[]): Outcome => ({ reply, messages });

/** What is left of the longest of a holder's holds; 0 when none lives. */
export function longestOf({ holds }: RwState, holder: string, count: number): number {
  let longest = 0;
  for (let n = 1; n <= count; n += 1) longest = Math.max(longest, holds.get(holdId(holder, n)) ?? 0);
  return longest;
}

/** What is left of the longest read hold; 0 when none lives. */
export function longestRead(state: RwState): number {
  const readers = [...(state.hash?.reads ?? [])];
  return Math.max(0, ...readers.map(([holder, count]) => longestOf(state, holder, count)));
}

/** Lets `ms` pass. */
export function pass(state: RwState, ms: number): void {
  if (state.hash !== undefined && state.hash.ttl !== -1 && (state.hash.ttl -= ms) <= 0)
    state.hash = undefined;
  for (const [id, ttl] of state.holds) {
    if (ttl > ms) state.holds.set(id, ttl - ms);
    else state.holds.delete(id);
  }
  if (state.intent !== undefined && (state.intent.ttl -= ms) <= 0) state.intent = undefined;
}

/** Who may be named as the one in the way. */
export function holderOf({ hash }: RwState): OneOf {
  return new OneOf(hash?.writer ? [hash.writer.holder] : [...(hash?.reads.keys() ?? [])]);
}

/** The keys of a lock; `suffix` names the one of a hold. */
export interface RwKeys {
  readonly lock: string;
  readonly intent: string;
  readonly suffix: (id: string) => string;
}

/** The state as a dump of the store shows it. */
export function snapshotOf(state: RwState, keys: RwKeys): Snapshot {
  const stored: Record<string, StoredKey> = {};
  const { hash, holds, intent } = state;
  if (hash !== undefined) {
    const fields: Record<string, string> = { mode: hash.mode };
    for (const [holder, count] of hash.reads) fields[holder] = `${count}`;
    if (hash.writer !== undefined) fields[`${hash.writer.holder}:write`] = `${hash.writer.count}`;
    stored[keys.lock] = { type: 'hash', ttl: hash.ttl, fields };
  }
  for (const [id, ttl] of holds) stored[keys.suffix(id)] = { type: 'string', ttl, value: '1' };
  if (intent !== undefined) stored[keys.intent] = { type: 'string', ttl: intent.ttl, value: intent.holder };
  return stored;
}

/**
 * What is wrong with a state, whichever operations led to it.
 * @param isExact whether a lock that is only read ends with its longest hold: nobody takes part who keeps it for longer
 */
export function* faultsOf(state: RwState, isExact: boolean): Generator<string> {
  const { hash, holds } = state;
  if (hash === undefined) {
    if (holds.size > 0) yield 'holds without a lock';
    return;
  }
  const { mode, writer, reads, ttl } = hash;
  if ((mode === 'write') !== (writer !== undefined)) yield 'a writer in mode read, or none in mode write';
  if (mode === 'read' && reads.size === 0) yield 'mode read without a reader';
  if (mode === 'read' && isExact && ttl !== longestRead(state)) yield 'the lock outlives its readers';
  for (const [holder, count] of reads) {
    if (writer !== undefined && writer.holder !== holder)
      yield `${holder} reads beside the writer ${writer.holder}`;
    if (count < 1) yield `${holder} reads ${count} times`;
  }
  if (writer !== undefined && writer.count < 1) yield `${writer.holder} writes ${writer.count} times`;
  for (const [id, left] of holds) {
    const [, holder = '', n = ''] = /^(.*):rwlock_timeout:(\d+)$/.exec(id) ?? [];
    if ((reads.get(holder) ?? 0) < Number(n)) yield `${id} belongs to nobody`;
    if (ttl !== -1 && left > ttl) yield `the lock ends before ${id}`;
  }
}
