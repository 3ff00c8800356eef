import type { TickVerdict } from '../contracts/tick.contract.js';
import type { LockUnavailableError } from '../errors/lock.errors.js';
import type { NoticeBoard } from '../events/notice.board.js';
import { isSkipped } from '../ticks/tick.claim.js';
import type { StoreClock } from '../job-control/store.clock.js';

/** A machine's clock this far from the store's is logged, in ms. */
const TOLERATED_OFFSET = 1000;

/** Final verdicts that are logged at level debug. A tick that no instance ran is reported from its record, by the instance that wrote it. */
const QUIET: Readonly<Partial<Record<TickVerdict, string>>> = {
  taken: 'it was claimed before, or a newer one was',
  queued: 'the lock of the job is held, and one instance runs the tick when the lock is free',
  paused: 'the job is paused',
};

/** Logs the ticks that do not run here. A claim that another instance won is logged at level debug. */
export class TickJournal {
  #loggedOffset = false;
  #loggedStep = false;
  /** By job: the newest tick that this instance has reported as run, or not run. */
  readonly #newest = new Map<string, number>();
  /** By job: the newest tick that was reported as unclaimed. */
  readonly #unclaimed = new Map<string, number>();

  constructor(
    private readonly notices: NoticeBoard,
    private readonly clock: StoreClock,
  ) {}

  /** @param tick epoch ms; this instance runs it */
  granted(job: string, tick: number): void {
    this.#newest.set(job, Math.max(tick, this.#newest.get(job) ?? -Infinity));
  }

  /** @param tick epoch ms */
  refused(job: string, tick: number, verdict: Exclude<TickVerdict, 'granted'>): void {
    const { events } = this.notices;
    // A tick that has its verdict may be claimed again.
    if (events.hasListeners && isSkipped(verdict) && tick > (this.#newest.get(job) ?? -Infinity)) {
      this.#newest.set(job, tick);
      events.emit('tickSkipped', { job, tick, why: verdict });
    }
    const why = QUIET[verdict];
    if (why !== undefined) this.notices.post({ kind: 'tick-skipped', lock: job, tick, why });
  }

  /**
   * Redis could not be reached, or refused.
   * @param tick epoch ms; undefined where no tick was claimed, but what waits in Redis
   * @param isLater whether an earlier claim of the tick has failed already, as a rule
   */
  unclaimed(job: string, error: LockUnavailableError, tick: number | undefined, isLater = false): void {
    // A tick whose claim has failed may be claimed again.
    const isNew = tick !== undefined && tick > (this.#unclaimed.get(job) ?? -Infinity);
    if (isLater && !isNew) return;
    if (isNew) this.#unclaimed.set(job, tick);
    this.notices.post({ kind: 'tick-unclaimed', lock: job, tick: isNew ? tick : undefined, error });
  }

  /**
   * Checks the clocks: each trouble is logged once.
   * @param settled the newest tick that has its verdict, epoch ms: a store's clock before it was set back
   */
  checkClocks(job: string, settled: number): void {
    const offset = this.clock.aheadOfWall;
    if (!this.#loggedOffset && Math.abs(offset) > TOLERATED_OFFSET) {
      this.#loggedOffset = true;
      this.notices.post({ kind: 'clock-offset', offset });
    }
    if (!this.#loggedStep && settled - (this.clock.now() ?? settled) > TOLERATED_OFFSET) {
      this.#loggedStep = true;
      this.notices.post({ kind: 'clock-stepped', lock: job, mark: settled });
    }
  }
}
