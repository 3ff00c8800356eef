import { HoldHandle, type HandleOwner } from '../holds/handle.js';

/** An acquisition of a job's lock inside the run of a tick. */
export class TickHandle extends HoldHandle {
  readonly #run: { readonly tick: number; readonly attempt: number };

  constructor(
    run: { readonly tick: number; readonly attempt: number },
    hold: HandleOwner,
    leaseTime: number | undefined,
    sentAt: number,
  ) {
    super(hold, leaseTime, sentAt);
    this.#run = run;
  }

  override get tick(): number {
    return this.#run.tick;
  }

  override get attempt(): number {
    return this.#run.attempt;
  }
}
