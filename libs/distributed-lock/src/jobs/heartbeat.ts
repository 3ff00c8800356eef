import type { Heartbeat } from '../contracts/heartbeat.contract.js';
import type { LockContext } from '../core/lock.context.js';
import { errorText } from '../errors/error.text.js';
import type { AbandonedTick, RunEnd, RunListener, RunOfTick } from '../ticks/run.listener.js';
import { machine } from '../timing/machine.js';
import { now } from '../timing/monotonic.clock.js';
import type { HeartbeatPlan } from './heartbeat.reader.js';
import type { HeartbeatTarget } from './heartbeat.target.js';

type HeartbeatContext = Pick<LockContext, 'notices' | 'outside' | 'wheel'>;

/** The heartbeats of one module instance that are under way. */
export class HeartbeatSender {
  /** Runs that have begun, and whose last heartbeat is not settled. */
  #runs = 0;
  #waiting: (() => void)[] = [];
  readonly #attempts = new Set<AbortController>();
  #isEnded = false;

  /** @param instance as in the records of runs */
  constructor(
    readonly context: HeartbeatContext,
    readonly instance: string,
  ) {}

  begin(): void {
    this.#runs += 1;
  }

  over(): void {
    this.#runs -= 1;
    if (this.#runs > 0) return;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** Resolves when no heartbeat is under way, nor will be of a run that has begun. */
  idle(): Promise<void> {
    if (this.#runs === 0) return Promise.resolve();
    return new Promise((resolve) => void this.#waiting.push(resolve));
  }

  /**
   * Makes one attempt.
   * @param timeout in ms
   * @returns rejects with the reason when the heartbeat has not arrived
   */
  async send(target: HeartbeatTarget, heartbeat: Heartbeat, timeout: number): Promise<void> {
    if (this.#isEnded) throw new Error('the application has shut down');
    const attempt = new AbortController();
    const { signal } = attempt;
    const { wheel } = this.context;
    const timer = wheel.after(timeout, () => attempt.abort(new Error(`no answer within ${timeout} ms`)));
    this.#attempts.add(attempt);
    try {
      await Promise.race([aborted(signal), target.send(heartbeat, signal)]);
    } finally {
      this.#attempts.delete(attempt);
      wheel.cancel(timer);
    }
  }

  /** Ends what is under way: no request keeps the process alive. */
  end(): void {
    this.#isEnded = true;
    for (const attempt of this.#attempts) attempt.abort(new Error('the application has shut down'));
  }
}

/** Reports the runs of one job. Nothing of a job waits for it, or fails by it. */
export class JobHeartbeat implements RunListener {
  /** Whether the last heartbeat has failed: of a start, and of an end. */
  readonly #failing = new Set<'start' | 'end'>();

  constructor(
    private readonly job: string,
    private readonly plan: HeartbeatPlan,
    private readonly sender: HeartbeatSender,
  ) {}

  began(run: RunOfTick): (end: RunEnd) => void {
    const { sender } = this;
    const since = now();
    const heartbeat = this.#factsOf({ ...run, instance: sender.instance });
    sender.begin();
    const started = this.#outside(() => this.#report({ ...heartbeat, state: 'start' }));
    return (end) => {
      const took = Math.round(now() - since);
      void started
        .then(async () => {
          // The next attempt reports itself, on another instance.
          if (end.outcome === 'handed-over') return;
          const ended = end.outcome === 'completed' ? ({ state: 'success' } as const) : failed(end.error);
          await this.#outside(() => this.#report({ ...heartbeat, took, ...ended }));
        })
        .finally(() => sender.over());
    };
  }

  abandoned({ why, ...run }: AbandonedTick): void {
    const { sender } = this;
    const heartbeat = { ...this.#factsOf(run), ...failed(new Error(why)) };
    sender.begin();
    void this.#outside(() => this.#report(heartbeat)).finally(() => sender.over());
  }

  #factsOf({ tick, attempt, instance }: Omit<AbandonedTick, 'why'>): Omit<Heartbeat, 'state'> {
    return { job: this.job, tick, attempt, instance };
  }

  /** Outside of the run's scope, and when the work has had its first turn: a tick starts when it is due. */
  #outside(report: () => Promise<void>): Promise<void> {
    return this.sender.context.outside(async () => {
      await new Promise<void>((resolve) => void machine.own.setImmediate(resolve));
      await report();
    });
  }

  /** Never rejects. */
  async #report(heartbeat: Heartbeat): Promise<void> {
    const target = this.plan.targets[heartbeat.state];
    if (target === undefined) return;
    const kind = heartbeat.state === 'start' ? 'start' : 'end';
    try {
      await this.sender.send(target, heartbeat, this.plan.timeout);
      this.#failing.delete(kind);
    } catch (error) {
      const isKnown = this.#failing.size > 0;
      this.#failing.add(kind);
      if (isKnown) return;
      const { notices } = this.sender.context;
      notices.post({ kind: 'heartbeat-failed', lock: this.job, to: target.to, why: errorText(error) });
    }
  }
}

function failed(error: unknown): Pick<Heartbeat, 'state' | 'error'> {
  return { state: 'failure', error };
}

/** Rejects with the reason when the signal aborts. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
