import type { LockSettings } from '../contracts/settings.js';
import { LockConfigurationError, LockUnavailableError } from '../errors/lock.errors.js';
import type { NoticeBoard } from '../events/notice.board.js';
import type { QuorumServer } from '../locks/quorum.round.js';
import { RedLocks } from '../locks/red.lock.js';
import { readTemplate, type RedisSource } from '../redis/client.factory.js';
import { ServerAge } from '../redis/server.age.js';
import type { TimerWheel } from '../timing/timer.wheel.js';
import { makeEngine, type OpenEngine } from './open.engine.js';

/** The red locks of a module instance, and how to close their connections. */
export interface OpenQuorum {
  readonly locks: RedLocks;
  readonly close: () => Promise<void>;
}

/** One server that has an engine of its own. */
interface Seat extends OpenEngine, QuorumServer {}

/**
 * Builds locks on several independent servers. A minority of them may be away, at boot and later; they are connected to as
 * soon as they can be.
 * @throws LockConfigurationError `INVALID_OPTION` for fewer than three servers: two do not survive the loss of one
 * @throws LockUnavailableError when no majority can be reached
 */
export async function openQuorum(
  settings: LockSettings,
  sources: readonly RedisSource[],
  shared: { readonly wheel: TimerWheel; readonly notices: NoticeBoard },
): Promise<OpenQuorum> {
  if (sources.length < 3) {
    throw new LockConfigurationError(
      'INVALID_OPTION',
      `redLock.servers must name at least three independent servers, not ${sources.length}.`,
    );
  }
  const seats = sources.map((source) => makeSeat(settings, source, shared));
  const close = async () => void (await Promise.all(seats.map(({ connections }) => connections.close())));
  const first = seats[0];
  if (first === undefined || !(await isMajority(seats))) {
    await close();
    throw new LockUnavailableError(
      undefined,
      `Fewer than ${Math.floor(seats.length / 2) + 1} of the ${seats.length} servers of redLock could be reached.`,
    );
  }
  return { locks: new RedLocks(first.engine.context, seats, settings.redLockRestartDelay), close };
}

function makeSeat(
  settings: LockSettings,
  source: RedisSource,
  shared: { readonly wheel: TimerWheel; readonly notices: NoticeBoard },
): Seat {
  const open = makeEngine(settings, readTemplate(source), shared);
  const age = new ServerAge(open.connections.commands.lifecycle, settings.redLockRestartDelay);
  return {
    ...open,
    get isTrusted() {
      return age.isTrusted;
    },
  };
}

/** Resolves as soon as the majority is there, or cannot be any more. */
function isMajority(seats: readonly Seat[]): Promise<boolean> {
  const needed = Math.floor(seats.length / 2) + 1;
  let [ready, failed] = [0, 0];
  return new Promise((resolve) => {
    for (const { connections } of seats) {
      connections.ready().then(
        () => (ready += 1) === needed && resolve(true),
        () => (failed += 1) > seats.length - needed && resolve(false),
      );
    }
  });
}
