import type { LockSettings } from '../contracts/settings.js';
import { LockUnavailableError } from '../errors/lock.errors.js';
import { refusalRemedy } from '../errors/redis.refusals.js';
import type { NoticeBoard } from '../events/notice.board.js';
import type { HolderIds } from './holder.ids.js';
import { NOT_REPLICATED, RedisFailure } from '../redis/redis.failure.js';
import type { Watchdog } from '../renewal/watchdog.js';
import type { TimerWheel } from '../timing/timer.wheel.js';
import type { ChannelSubscriptions } from '../redis/channel.subscriptions.js';
import type { CounterScripts } from './counter.scripts.js';
import type { DowngradeRegistry } from './downgrade.registry.js';
import type { LockKinds } from './lock.kinds.js';
import type { BackgroundRelease } from './background.release.js';

/** The services that all locks of a module instance share. */
export interface LockContext {
  readonly settings: LockSettings;
  readonly kinds: LockKinds;
  readonly counters: CounterScripts;
  readonly wheel: TimerWheel;
  readonly ids: HolderIds;
  readonly watchdog: Watchdog;
  readonly subscriptions: ChannelSubscriptions;
  readonly notices: NoticeBoard;
  readonly backgroundRelease: BackgroundRelease;
  readonly downgrades: DowngradeRegistry;
  /** Whether keys and channels have slots, which those of one name must share. */
  readonly isCluster: boolean;
  /** Whether the number of clients that PUBLISH reached is the fleet's; in a cluster it is one node's. */
  readonly countsFleet: boolean;
  /** Runs machinery that many callers share outside of any caller's async context. */
  readonly outside: <T>(run: () => T) => T;
}

/** The error for a caller when Redis could not be reached. */
export function unavailable(lock: string, cause: unknown): LockUnavailableError {
  const failure = RedisFailure.from(cause);
  // Redis ends some of its messages like a sentence.
  const why = failure.message.replace(/\.$/, '');
  if (failure.isNotReplicated) {
    const text = `Lock "${lock}" was not granted: ${why}.`;
    return new LockUnavailableError(lock, text, { cause }, NOT_REPLICATED);
  }
  if (failure.kind !== 'refused') {
    return new LockUnavailableError(lock, `Redis is unavailable for lock "${lock}": ${why}.`, {
      cause,
    });
  }
  const code = failure.code === 'WRONGTYPE' ? 'WRONG_TYPE' : 'REJECTED_BY_REDIS';
  return new LockUnavailableError(
    lock,
    `Redis refused a command for lock "${lock}": ${why}.`,
    { cause },
    code,
    code === 'WRONG_TYPE' ? undefined : refusalRemedy(failure.code),
  );
}

/** The error for a caller that requests a lock, or waits for one, while the application shuts down. */
export function shuttingDown(lock: string): LockUnavailableError {
  return new LockUnavailableError(lock, `Lock "${lock}" was not granted.`, undefined, 'SHUTTING_DOWN');
}
