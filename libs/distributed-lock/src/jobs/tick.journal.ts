import type { TickVerdict } from '../contracts/tick.contract.js';
import type { NoticeBoard } from '../events/notice.board.js';
import { isSkipped } from '../ticks/tick.claim.js';
import type { StoreClock } from '../ticks/store.clock.js';

/** A machine's clock this far from the store's is named, in ms. */
const TOLERATED_OFFSET = 1000;

/** Verdicts that are final, and no news to anybody. What nobody ran is told from the row that says so, where it was written. */
const QUIET: Readonly<Partial<Record<TickVerdict, string>>> = {
  taken: 'another instance has it',
  queued: 'its lock is held, and one instance runs it when that is free',
  paused: 'the job is paused',
};

/** Tells what became of ticks that do not run here. Losers are quiet; what nobody ran is not. */
export class TickJournal {
  #loggedOffset = false;
  #loggedStep = false;
  /** By job: the newest tick that is told of as run, or not run, by this instance. */
  readonly #newest = new Map<string, number>();

  constructor(
    private readonly notices: NoticeBoard,
    private readonly clock: StoreClock,
  ) {}

  /** @param tick epoch ms, of which this instance runs the job */
  granted(job: string, tick: number): void {
    this.#newest.set(job, Math.max(tick, this.#newest.get(job) ?? -Infinity));
  }

  /** @param tick epoch ms */
  refused(job: string, tick: number, verdict: Exclude<TickVerdict, 'granted'>): void {
    const { events } = this.notices;
    // A tick that has its verdict may be asked for again.
    if (events.hasListeners && isSkipped(verdict) && tick > (this.#newest.get(job) ?? -Infinity)) {
      this.#newest.set(job, tick);
      events.emit('tickSkipped', { job, tick, why: verdict });
    }
    const why = QUIET[verdict];
    if (why !== undefined) this.notices.post({ kind: 'tick-skipped', lock: job, tick, why });
  }

  /** Redis could not be asked, or refused. */
  unclaimed(job: string, error: Error): void {
    this.notices.post({ kind: 'tick-unclaimed', lock: job, why: error.message });
  }

  /**
   * Looks at the clocks: each trouble is named once.
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
