import { closeSync, openSync, writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { LockSort } from './chaos.types.js';

/** What a worker writes. Instants are µs of the machine's monotonic clock, which all its processes share. */
export type WorkerEvent =
  | { readonly kind: 'started'; readonly pid: number; readonly watchdog: number }
  /** A caller asks. `locks` are the names that are its own when it has it; a `lease` of 0 is the watchdog's. */
  | {
      readonly kind: 'wanted';
      readonly op: number;
      readonly sort: LockSort;
      readonly locks: readonly string[];
      readonly lease: number;
      /** ms */
      readonly wait: number;
      /** When it aborts the wait, in ms. */
      readonly abortIn?: number | undefined;
      /** How many may be inside at a time, and how many places it takes: of semaphores. */
      readonly room?: number | undefined;
      readonly permits?: number | undefined;
    }
  /** `sent`: not before this did Redis grant it. `deadline`: until when it may be believed in, if nothing renews it; null: for ever. */
  | {
      readonly kind: 'granted';
      readonly op: number;
      readonly sent: number;
      readonly holder: string;
      readonly deadline: number | null;
      readonly ttl: number;
      readonly token?: string | undefined;
    }
  | {
      readonly kind: 'reentered';
      readonly op: number;
      readonly sent: number;
      readonly holder: string;
      readonly token?: string | undefined;
    }
  /** A re-entry was unlocked. `sent`: when that was asked for. */
  | { readonly kind: 'exited'; readonly op: number; readonly sent: number; readonly outcome: string }
  /** A renewal has moved the deadline. */
  | { readonly kind: 'deadline'; readonly op: number; readonly deadline: number }
  /** The belief ends, for this reason. `lastHeld`: when `isHeld` was last seen to be true. */
  | {
      readonly kind: 'ended';
      readonly op: number;
      readonly why: 'unlock' | 'aborted' | 'not held';
      readonly deadline: number | null;
      readonly lastHeld: number;
      readonly reason?: string | undefined;
    }
  | { readonly kind: 'released'; readonly op: number; readonly outcome: string }
  /** It was not granted: the code of the refusal or the error. */
  | { readonly kind: 'refused'; readonly op: number; readonly code: string }
  /** What the first instruction after a stall of the event loop found. */
  | {
      readonly kind: 'looked';
      readonly op: number;
      readonly gap: number;
      readonly isHeld: boolean;
      readonly deadline: number;
    }
  /** The event loop stood still for so many µs before now. */
  | { readonly kind: 'stalled'; readonly gap: number }
  /** A register refused a write by its token. */
  | { readonly kind: 'stale'; readonly op: number; readonly register: string }
  | { readonly kind: 'trouble'; readonly text: string }
  /** Nobody works any more; what the library has in the process, by name. */
  | { readonly kind: 'idle'; readonly left: Readonly<Record<string, number>> };

/** What the runner writes, and who looks at the store from outside. */
export type RunnerEvent =
  | {
      readonly kind: 'fault';
      readonly fault: string;
      readonly note: string;
      /** `at` is its beginning. */
      readonly to: number;
      readonly lossy: boolean;
    }
  | {
      readonly kind: 'signal';
      readonly worker: number;
      readonly life: number;
      readonly what: 'stop' | 'resume' | 'kill' | 'exit';
    }
  /** Who had a lock in Redis at one instant from `from` to `at`. */
  | {
      readonly kind: 'seen';
      readonly lock: string;
      readonly from: number;
      readonly holders: readonly string[];
    }
  | { readonly kind: 'note'; readonly text: string }
  /** What was left when nobody worked any more. */
  | { readonly kind: 'left'; readonly what: 'key' | 'channel' | 'process'; readonly name: string };

export type Stamped<E> = E & { readonly at: number };

/** A worker's event, and whose it is. `life`: counts the processes that had this index. */
export type Told = Stamped<WorkerEvent> & { readonly worker: number; readonly life: number };

/** All that was written in one run. */
export interface History {
  readonly told: readonly Told[];
  readonly watched: readonly Stamped<RunnerEvent>[];
}

/** The machine's monotonic clock in µs. */
export function machineTime(): number {
  return Number(process.hrtime.bigint() / 1000n);
}

/** Writes a history, line by line and at once: what a process has done before it is killed can be read. */
export class HistoryWriter<E> {
  readonly #file: number;

  constructor(path: string) {
    this.#file = openSync(path, 'a');
  }

  /** @returns when it happened */
  write(event: E, at: number = machineTime()): number {
    writeSync(this.#file, `${JSON.stringify({ at, ...event })}\n`);
    return at;
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** @returns the lines of a file that are whole: a killed process may have left half a line behind */
export async function readLines(path: string): Promise<unknown[]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  return whole.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as unknown]));
}
