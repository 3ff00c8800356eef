import type { CronTimeLike } from './cron.sequence.js';

/** The used part of cron's `CronJob`; structural, so that no second copy of cron is loaded. */
export interface CronJobLike {
  /** The schedule in force: `setTime` replaces it. */
  readonly cronTime: CronTimeLike;
  /** Whether its timer runs. */
  readonly isActive: boolean;
  /** Whether it fires again only when its callback has ended. */
  readonly waitForCompletion?: boolean | undefined;
  /** When its timer fired last: another object for each fire. */
  lastDate(): unknown;
  fireOnTick(...args: unknown[]): unknown;
  start(...args: unknown[]): unknown;
  stop(...args: unknown[]): unknown;
}
