import { machine } from '../../../libs/distributed-lock/src/timing/machine.js';

/**
 * The globals of ioredis in the simulation: tools/simulation/simulation.bundler.mjs puts them in front of each of its files, so that its
 * timers, clocks and randomness are those of the simulated machine, too.
 */
export const setTimeout = (run: () => void, delay?: number, ...values: []): unknown =>
  machine.global.setTimeout(run, delay, ...values);

export const clearTimeout = (timer: NodeJS.Timeout | undefined): void => machine.global.clearTimeout(timer);

export const setImmediate = (run: (...values: unknown[]) => void, ...values: unknown[]): unknown =>
  machine.global.setImmediate(() => run(...values));

export const Date = { now: (): number => machine.global.Date.now() };

export const Math = {
  ...Object.fromEntries(
    Object.getOwnPropertyNames(globalThis.Math).map((name) => [name, Reflect.get(globalThis.Math, name)]),
  ),
  random: (): number => machine.global.Math.random(),
};
