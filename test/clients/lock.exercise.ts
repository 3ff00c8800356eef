import { expect } from 'vitest';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import type { Services } from '../support/services.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';

/** The servers that the locks are on. */
export interface Servers {
  /** Makes them forget all scripts. */
  readonly flush: () => Promise<unknown>;
  /** Cuts all connections but those of the test. */
  readonly kill: () => Promise<unknown>;
}

/** The server that the services of a test are on. */
export function serverOf(services: Services): Servers {
  return {
    flush: () => services.admin.script('FLUSH'),
    kill: async () => {
      await services.admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
      await services.admin.call('CLIENT', 'KILL', 'TYPE', 'pubsub', 'SKIPME', 'yes');
    },
  };
}

/** A lock is taken, waited for and handed over: by servers that know no script, and again after all connections were cut. */
export async function exercise(
  one: LockService,
  other: LockService,
  { flush, kill }: Servers,
): Promise<void> {
  const patience = { waitTime: scaled(10_000) };
  const pass = async () => {
    await flush();
    const held = await one.getLock('x').lock(patience);
    const waiting = other.getLock('x').lock(patience);
    await until('it waits', () => other.engine.context.subscriptions.size > 0);
    expect(await held.unlock()).toBe('released');
    expect(await (await waiting).unlock()).toBe('released');
  };
  await pass();
  await kill();
  await pass();
}
