import type { LockKind } from './lock.kind.js';

/** One lock, as the machinery needs to know it. */
export interface LockTarget {
  /** As the user says it. */
  readonly name: string;
  /** In Redis: with prefix, or mapped. */
  readonly key: string;
  /** Where its releases are told. */
  readonly channel: string;
  readonly kind: LockKind;
  /** What a hold is found by: the key, and the side of a lock that has two. */
  readonly id: string;
}

/** @param name as the user says it @param key in Redis */
export function targetOf(kind: LockKind, name: string, key: string): LockTarget {
  return { name, key, channel: kind.channelOf(key), kind, id: idOf(key, kind.side) };
}

/** The id of the other side of a read/write lock; undefined for locks with one side. */
export function otherSideOf({ key, kind }: LockTarget): string | undefined {
  return kind.side === undefined ? undefined : idOf(key, kind.side === 'read' ? 'write' : 'read');
}

/** Names have no NUL. */
function idOf(key: string, side: LockKind['side']): string {
  return side === undefined ? key : `${key}\0${side}`;
}
