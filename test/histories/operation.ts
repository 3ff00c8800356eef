/** What a lock does for its callers; each kind has a model of its own in `test/porcupine`. */
export type LockKind = 'mutex' | 'fenced' | 'read-write' | 'permits';

/**
 * One operation on one key, as a judge of histories reads it: one JSON object a line. It took effect at some instant from `call` to
 * `return`. Instants are whole numbers of one clock: µs, or the events of a simulation.
 */
export interface Operation {
  readonly client: string;
  readonly kind: LockKind;
  readonly key: string;
  readonly op: 'acquire' | 'release';
  readonly call: number;
  /** Infinity, which is `null` in JSON: the answer is not known, and it may take effect at any time. */
  readonly return: number;
  /** Acquisitions of one owner are re-entries. */
  readonly owner: string;
  /** Of a grant of a fenced lock, in decimal digits. */
  readonly token?: string | undefined;
  /** Of a read/write lock. */
  readonly side?: 'read' | 'write' | undefined;
  /** How many places a semaphore has, and how many of them this is about. */
  readonly room?: number | undefined;
  readonly places?: number | undefined;
}

/** @returns one operation a line */
export function linesOf(operations: readonly Operation[]): string {
  return operations.map((operation) => `${JSON.stringify(operation)}\n`).join('');
}
