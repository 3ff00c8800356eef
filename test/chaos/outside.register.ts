import { closeSync, openSync, writeSync } from 'node:fs';

interface Row {
  value: number;
  writes: number;
  highest: bigint;
}

/** What one register has been through. */
export interface RegisterCount {
  readonly name: string;
  readonly writes: number;
  /** Writes that others overwrote without having read them. */
  readonly lost: number;
}

/**
 * Registers outside of Redis, in a file that one process keeps, like a database: each request is one step. A row remembers the highest
 * token that has been there, also by a read, and refuses lower ones.
 */
export class OutsideRegister {
  readonly #rows = new Map<string, Row>();
  readonly #file: number;

  constructor(path: string) {
    this.#file = openSync(path, 'w');
  }

  /** @returns what is there now; undefined: refused */
  handle({
    lock,
    token,
    value,
  }: {
    readonly lock: string;
    readonly token?: string | undefined;
    readonly value?: number | undefined;
  }): number | undefined {
    const row = this.#rows.get(lock) ?? { value: 0, writes: 0, highest: -1n };
    this.#rows.set(lock, row);
    if (token !== undefined) {
      if (BigInt(token) < row.highest) return undefined;
      row.highest = BigInt(token);
    }
    if (value === undefined) return row.value;
    row.value = value;
    row.writes += 1;
    writeSync(this.#file, `${JSON.stringify({ lock, token, value })}\n`);
    return value;
  }

  counts(): RegisterCount[] {
    return [...this.#rows].map(([name, { value, writes }]) => ({ name, writes, lost: writes - value }));
  }

  close(): void {
    closeSync(this.#file);
  }
}
