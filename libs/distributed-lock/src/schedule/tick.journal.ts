import type { TickVerdict } from '../contracts/tick.contract.js';
import type { NoticeBoard } from '../events/notice.board.js';
import type { StoreClock } from '../timing/store.clock.js';

/** A machine's clock this far from the store's is named, in ms. */
const TOLERATED_OFFSET = 1000;

const REASONS: Readonly<Record<Exclude<TickVerdict, 'granted' | 'missed'>, string>> = {
  taken: 'another instance has it',
  overlapped: 'its lock is held, by an earlier run or by somebody else',
  early: 'by the store it has not come yet',
  stale: 'by the store it is over',
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
      this.notices.post({ kind: 'tick-skipped', lock: job, tick, why: REASONS[verdict] });
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

  /** Looks at the clocks: each trouble is named once. */
  checkClocks(job: string, settled: number): void {
    const offset = this.clock.aheadOfWall;
    if (!this.#toldOffset && Math.abs(offset) > TOLERATED_OFFSET) {
      this.#toldOffset = true;
      this.notices.post({ kind: 'clock-offset', offset });
    }
    const ahead = settled - (this.clock.now() ?? settled);
    if (!this.#toldStep && ahead > TOLERATED_OFFSET) {
      this.#toldStep = true;
      this.notices.post({ kind: 'clock-step', lock: job, ahead });
    }
  }
}
