import type { TickVerdict } from '../contracts/tick.contract.js';
import type { NoticeBoard } from '../events/notice.board.js';
import type { StoreClock } from '../timing/store.clock.js';

/** A machine's clock this far from the store's is named, in ms. */
const TOLERATED_OFFSET = 1000;

/** Verdicts that are final, and no news to anybody. */
const QUIET: Readonly<Partial<Record<TickVerdict, string>>> = {
  taken: 'another instance has it',
  overlapped: 'its lock is held, by an earlier run or by somebody else',
};

/** Tells what became of ticks that do not run here. Losers are quiet; what nobody ran is not. */
export class TickJournal {
  #toldOffset = false;
  #toldStep = false;

  constructor(
    private readonly notices: NoticeBoard,
    private readonly clock: StoreClock,
  ) {}

  /** @param tick epoch ms */
  refused(job: string, tick: number, verdict: Exclude<TickVerdict, 'granted'>, closed: boolean): void {
    if (verdict !== 'missed') {
      const why = QUIET[verdict];
      if (why !== undefined) this.notices.post({ kind: 'tick-skipped', lock: job, tick, why });
      return;
    }
    const why = closed
      ? 'no instance claimed it in time'
      : 'Redis had no record of the job, so nobody knows whether it ran';
    this.notices.post({ kind: 'tick-missed', lock: job, tick, why });
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
    if (!this.#toldOffset && Math.abs(offset) > TOLERATED_OFFSET) {
      this.#toldOffset = true;
      this.notices.post({ kind: 'clock-offset', offset });
    }
    if (!this.#toldStep && settled - (this.clock.now() ?? settled) > TOLERATED_OFFSET) {
      this.#toldStep = true;
      this.notices.post({ kind: 'clock-stepped', lock: job, mark: settled });
    }
  }
}
