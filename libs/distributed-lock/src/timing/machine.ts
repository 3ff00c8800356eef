import { randomBytes, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';

type Globals = typeof globalThis;

/** The clocks, timers, randomness and ids of the machine. */
export interface Machine {
  /** What a test with fake timers replaces, so it is read anew at each use. */
  readonly global: Pick<Globals, 'clearTimeout' | 'setTimeout' | 'setImmediate' | 'queueMicrotask'> & {
    readonly Date: Pick<Globals['Date'], 'now'>;
    readonly Math: Pick<Globals['Math'], 'random'>;
    readonly performance: Pick<Globals['performance'], 'now'>;
  };
  /** Node's own functions: a test that fakes the time must not hold back what is not a matter of time. */
  readonly own: Pick<Globals, 'setImmediate' | 'queueMicrotask'> & Pick<typeof process, 'nextTick'>;
  readonly crypto: {
    readonly randomUUID: () => string;
    readonly randomBytes: (size: number) => Buffer;
  };
  /** The host and the process, for records that people read. */
  readonly name: string;
}

const { setImmediate, queueMicrotask } = globalThis;
const { nextTick } = process;

/**
 * Everything in this library that differs from run to run comes from here, so that a simulation can run a whole fleet in one process, and
 * replay it. Lint refuses the clocks, timers, randomness and ids of Node elsewhere.
 */
export let machine: Machine = {
  global: globalThis,
  own: { setImmediate, queueMicrotask, nextTick },
  crypto: { randomUUID, randomBytes },
  name: `${hostname()}:${process.pid}`,
};

/** Replaces the machine, for a simulation. @returns the one before */
export function replaceMachine(other: Machine): Machine {
  const before = machine;
  machine = other;
  return before;
}
