import type { LockSettings } from '../contracts/settings.js';
import type { NoticeBoard } from '../events/notice.board.js';
import type { HolderIds } from './holder.ids.js';
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
  /** Whether commands can be sent now. */
  readonly isConnected: boolean;
  /** Whether the number of clients that PUBLISH reached is the fleet's; in a cluster it is one node's. */
  readonly countsAllReceivers: boolean;
  /** Runs machinery that many callers share outside of any caller's async context. */
  readonly outside: <T>(run: () => T) => T;
}
