import type { Machine } from '../../libs/distributed-lock/src/timing/machine.js';
import type { SimulatedEvent } from './event.heap.js';
import type { World } from './world.js';

/** The first moment of every simulation on its wall clocks. */
export const EPOCH = Date.UTC(2030, 0, 1);

/** What a timer of Node looks like. */
class SimulatedTimeout {
  constructor(readonly event: SimulatedEvent) {}

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}

/** The clocks, timers, randomness and ids of whichever process the current event belongs to. */
export function simulatedMachine(world: World): Machine {
  const immediate = (run: (...args: never[]) => void) => {
    world.after(world.current, 0, '', run);
  };
  const { nextTick } = process;
  const { queueMicrotask } = globalThis;
  const machine = {
    global: {
      performance: { now: () => world.now + world.current.leaseOffset },
      Date: { now: () => EPOCH + Math.floor(world.now + world.current.wallOffset) },
      Math: { random: () => world.current.dice.fraction() },
      setTimeout: (run: () => void, delay = 0) =>
        new SimulatedTimeout(world.after(world.current, Math.max(1, Math.trunc(delay)), '', run)),
      clearTimeout: (timer: unknown) => {
        if (timer instanceof SimulatedTimeout) world.cancel(timer.event);
      },
      setImmediate: immediate,
      queueMicrotask,
    },
    own: { setImmediate: immediate, queueMicrotask, nextTick },
    crypto: {
      randomUUID: () => uuidOf(bytesOf(world, 16)),
      randomBytes: (size: number) => bytesOf(world, size),
    },
    get name() {
      return world.current.name;
    },
  };
  return machine as object as Machine;
}

function bytesOf(world: World, size: number): Buffer {
  return Buffer.from(Array.from({ length: size }, () => world.current.dice.below(256)));
}

function uuidOf(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5');
}
