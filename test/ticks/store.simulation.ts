import { CronTime } from 'cron';
import type { TickAnswer, TickClaim } from '../../libs/distributed-lock/src/ticks/tick.claim.js';
import { now } from '../../libs/distributed-lock/src/timing/monotonic.clock.js';
import { StoreClock } from '../../libs/distributed-lock/src/job-control/store.clock.js';
import { TimerWheel } from '../../libs/distributed-lock/src/timing/timer.wheel.js';
import { CronTick } from '../../libs/distributed-lock/src/jobs/cron.tick.js';
import type { CronJobLike } from '../../libs/distributed-lock/src/instants/cron.job.port.js';
import type { GrantedTick, JobClaims } from '../../libs/distributed-lock/src/jobs/job.claimer.port.js';
import { LiveSchedule } from '../../libs/distributed-lock/src/instants/live.schedule.js';

/** A round trip, in ms. */
export const TRIP = 4;

/** How long a claim is repeated while the store is away, and the time between two attempts, in ms. */
const [CLAIM_TIMEOUT, REPEAT] = [5000, 100];

/** A store whose clock is ahead of the process's wall clock, with the rows of the claim that concern one instance. */
export class SimulatedStore implements JobClaims {
  readonly clock = new StoreClock();
  readonly wheel = new TimerWheel();
  readonly claims: (TickClaim & { at: number; verdict: TickAnswer['kind'] | 'none' })[] = [];
  readonly ran: { tick: number; at: number }[] = [];
  hasOthers = false;
  isClosed = false;
  isAway = false;
  readonly scheduledSince = -Infinity;
  #mark: number | undefined;
  #registered: Promise<number> | undefined;

  constructor(public ahead: number) {}

  get now(): number {
    return Date.now() + this.ahead;
  }

  get mark(): number | undefined {
    return this.#mark;
  }

  async ready(): Promise<boolean> {
    this.#registered ??= this.#answer(() => (this.#mark = this.now));
    await this.#registered;
    return true;
  }

  async ask(claim: TickClaim): Promise<TickAnswer | undefined> {
    const until = now() + (claim.timeout ?? CLAIM_TIMEOUT);
    while (this.isAway && now() + REPEAT <= until) await pause(REPEAT);
    const verdict = this.isAway ? undefined : await this.#answer(() => this.#decide(claim));
    this.claims.push({ ...claim, at: this.now, verdict: verdict ?? 'none' });
    const mark = this.#mark ?? 0;
    if (verdict !== 'granted')
      return verdict === undefined ? undefined : { kind: verdict, mark, wait: 0, listens: false };
    const { tick } = claim;
    const at = this.now;
    return {
      kind: 'granted',
      tick,
      run: async (work) => {
        this.ran.push({ tick, at });
        return await (work as () => never)();
      },
      giveBack: () => Promise.resolve(),
    };
  }

  start(granted: GrantedTick): void {
    void granted.run(() => undefined);
  }

  checkClocks(): void {}

  #decide({ mode, tick, following = Infinity }: TickClaim): Exclude<TickAnswer['kind'], 'refused'> {
    if (this.now < tick) return 'early';
    if (this.now >= following) return 'stale';
    if (tick <= (this.#mark ?? 0)) return 'taken';
    this.#mark = tick;
    return mode === 'close' ? 'missed' : 'granted';
  }

  async #answer<T>(decide: () => T): Promise<T> {
    const sent = now();
    await pause(TRIP / 2);
    const [answer, at] = [decide(), this.now];
    await pause(TRIP / 2);
    this.clock.observe(sent, Math.floor(at));
    return answer;
  }
}

/** What the call of an alarm does. */
interface Call {
  /** How long the run takes, in ms. */
  readonly work: number;
  /** How long the call goes on after the run, in ms, as a decorator above it does. */
  readonly after?: number;
  readonly waitsForCompletion: boolean;
}

async function pause(time = 0): Promise<void> {
  if (time > 0) await new Promise((resolve) => setTimeout(resolve, time));
}

const NOTHING: Call = { work: 0, waitsForCompletion: false };

/** An instance: alarms at the instants of its own clock, as cron's timer would make them. */
export class SimulatedInstance {
  readonly job: CronJobLike & { cronTime: CronTime };
  readonly tick: CronTick;
  /** When the calls of its alarms did the work, by the store's clock. */
  readonly worked: number[] = [];
  /** The calls of its alarms that have not ended. */
  calls = 0;

  constructor(
    private readonly store: SimulatedStore,
    cron: string,
    public late = 1,
    private readonly does: Call = NOTHING,
  ) {
    const nothing = () => undefined;
    const functions = { lastDate: nothing, fireOnTick: nothing, start: nothing, stop: nothing };
    this.job = { cronTime: new CronTime(cron, 'UTC'), isActive: true, ...functions };
    this.tick = new CronTick(store, new LiveSchedule(this.job), { grace: 5000, catchUp: 0 });
    void store.ready();
    this.#arm();
  }

  async #work(): Promise<void> {
    this.worked.push(this.store.now);
    await pause(this.does.work);
  }

  #arm(): void {
    const next = this.job.cronTime.getNextDateFrom(new Date(Date.now() + 100)).toMillis();
    setTimeout(
      () => {
        this.#arm();
        if (this.calls > 0 && this.does.waitsForCompletion) return;
        this.calls += 1;
        const ended = () => (this.calls -= 1);
        void this.tick
          .run(() => this.#work())
          .then(() => pause(this.does.after))
          .then(ended, ended);
      },
      next - Date.now() + this.late,
    );
  }
}
