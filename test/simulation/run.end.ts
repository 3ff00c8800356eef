import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { LONGEST_WAIT } from './lock.caller.js';
import type { SimulatedProcess } from './simulated.process.js';
import type { World } from './world.js';

/** How long the fleet has at the end for what is still to be released, in ms: longer than the longest wait, which a dead waiter has declared. */
export const REST = LONGEST_WAIT + 15_000;

/** What stays in the store for good, or, where a client has died, for some minutes: the last token of a fenced lock, and the records of calls. */
export const STAYS = /^redisson_lock_token:|:call:[\da-f-]{36}:\d+$/;

/** An instance that may not have opened yet. */
interface LiveInstance {
  readonly process: SimulatedProcess;
  readonly name: string;
  readonly service: LockService | undefined;
}

/**
 * Uses each lock once more, in each instance: the next acquisition removes what a killed waiter left in the queue of a fair lock.
 * @param failed receives what went wrong: at the end each lock can be had
 */
export async function useAllOnce(
  world: World,
  instances: readonly LiveInstance[],
  usesOf: (service: LockService) => readonly Promise<unknown>[],
  failed: (what: string) => void,
): Promise<void> {
  const at = world.now;
  for (const { process, service, name } of instances) {
    if (service === undefined) continue;
    world.at(process, at, 'each lock is used once more', () => {
      for (const use of usesOf(service))
        void use.catch((error: unknown) => failed(`${name}, at the end: ${String(error)}`));
    });
  }
  await world.runUntil(at + REST / 2);
}
