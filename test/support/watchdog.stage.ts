import { afterEach, beforeEach, vi } from 'vitest';
import { HolderIds } from '../../libs/distributed-lock/src/core/holder.ids.js';
import { instant, Lease } from '../../libs/distributed-lock/src/renewal/lease.js';
import { Watchdog } from '../../libs/distributed-lock/src/renewal/watchdog.js';
import { ReentrantScripts } from '../../libs/distributed-lock/src/scripts/reentrant.scripts.js';
import { fakeRunner } from './fake.runner.js';
import type { Command } from './fake.client.js';

/** The watchdog's lease, in ms. */
export const TTL = 3000;

const newListener = (checkLease: () => void) => ({
  checkLease,
  renewalTtl: TTL,
  leaseTime: TTL,
  nextDeadline: Infinity,
  checkDeadlines: vi.fn<() => void>(),
  gone: vi.fn<() => void>(),
  renewed: vi.fn<() => void>(),
  unknown: vi.fn<(why: string) => void>(),
});

export const keysOf = ({ args }: Command) => args.slice(2, 2 + Number(args[1]));

/** Answers that the leases of a call have `left` ms. */
export function alive(call: Command, left: number = TTL): void {
  call.answer(keysOf(call).map(() => [1, left]));
}

/** A watchdog for the unit tests of a file, new for each, on a client that answers when it is told to, in time that is made to pass. */
export function watchdogStage() {
  const make = () => {
    const { wheel, client, runner } = fakeRunner();
    const scripts = new ReentrantScripts(runner);
    const watchdog = new Watchdog(wheel);
    const leases: Lease[] = [];
    const listen = () => {
      const own = newListener(() =>
        leases.filter(({ listener }) => listener === own).forEach((lease) => watchdog.check(lease)),
      );
      return own;
    };
    return { wheel, client, scripts, watchdog, leases, listen, listener: listen() };
  };
  let made: ReturnType<typeof make>;
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
    made = make();
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  return {
    get wheel() {
      return made.wheel;
    },
    get watchdog() {
      return made.watchdog;
    },
    get listener() {
      return made.listener;
    },
    get client() {
      return made.client;
    },
    newListener: () => made.listen(),
    lease: (key = 'key', ttl = TTL) => {
      const lock = { key, renewer: made.scripts, holderIds: new HolderIds() };
      const lease = new Lease(lock, `holder of ${key}`, ttl, instant());
      made.leases.push(lease);
      return lease;
    },
    /** Lets `ms` pass, and what is due happen, immediates included. */
    pass: async (ms: number) => {
      await vi.advanceTimersByTimeAsync(ms);
      await new Promise(setImmediate);
    },
    /** The scripts that were called since the last time. */
    calls: () => made.client.take('evalsha'),
  };
}
