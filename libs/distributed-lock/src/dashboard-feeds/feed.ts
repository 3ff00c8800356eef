import type { LockContext } from '../core/lock.context.js';
import { DistributedLockError } from '../errors/lock.errors.js';
import { now } from '../timing/monotonic.clock.js';
import { machine } from '../timing/machine.js';
import type { Timer } from '../timing/timer.wheel.js';
import type { TroubleEvent } from './dashboard.model.js';

/** The time between two reads of a feed, in ms; longer where reading takes long, so that at most a quarter of the time is spent on it. */
export const PERIOD = 500;
const SHARE = 3;

/** How long one read may take, in ms. */
const LONGEST = 4000;

/** An open page: receives the events of a feed. */
export type Viewer = (event: string, json: string) => void;

/** What a feed shows. */
export interface FeedSource<State> {
  /** The name of its events. */
  readonly event: string;
  read(): Promise<State>;
  /** What a page that has nothing yet needs. */
  whole(state: State): object;
  /** What a page needs that has the state before; undefined if nothing has changed. */
  changes(before: State, state: State): object | undefined;
}

/** Reads Redis while at least one page is open, once for all of them. */
export class Feed<State> {
  readonly #viewers = new Set<Viewer>();
  readonly #timer: Timer;
  #state: State | undefined;
  #trouble: TroubleEvent | undefined;
  #isReading = false;
  #isStale = false;

  constructor(
    private readonly context: Pick<LockContext, 'outside' | 'wheel'>,
    private readonly source: FeedSource<State>,
  ) {
    this.#timer = context.wheel.background(() => this.#begin());
  }

  get viewers(): number {
    return this.#viewers.size;
  }

  /** Adds a page. @returns removes it */
  add(viewer: Viewer): () => void {
    this.#viewers.add(viewer);
    if (this.#state !== undefined) viewer(this.source.event, JSON.stringify(this.source.whole(this.#state)));
    if (this.#trouble !== undefined) viewer('trouble', JSON.stringify(this.#trouble));
    if (this.#viewers.size === 1) this.#begin();
    return () => {
      this.#viewers.delete(viewer);
      if (this.#viewers.size > 0) return;
      this.context.wheel.cancel(this.#timer);
      this.#state = undefined;
      this.#trouble = undefined;
    };
  }

  /** Reads at once, as after an action; a read that is under way may be older than the action. */
  refresh(): void {
    if (this.#viewers.size === 0) return;
    this.#isStale = true;
    this.#begin();
  }

  #begin(): void {
    if (!this.#isReading) this.context.outside(() => void this.#read());
  }

  async #read(): Promise<void> {
    const { wheel } = this.context;
    const started = now();
    this.#isReading = true;
    this.#isStale = false;
    wheel.cancel(this.#timer);
    // A read that takes long goes on: a second one beside it would only make Redis slower.
    const late = wheel.after(LONGEST, () =>
      this.#failed(`Redis has not answered within ${LONGEST / 1000} s`),
    );
    try {
      this.#answered(await this.source.read());
    } catch (error) {
      this.#failed(troubleText(error));
    } finally {
      wheel.cancel(late);
      this.#isReading = false;
    }
    if (this.#viewers.size === 0) return;
    const pause = this.#isStale ? 0 : Math.max(PERIOD, SHARE * (now() - started));
    wheel.set(this.#timer, now() + pause);
  }

  #answered(state: State): void {
    if (this.#viewers.size === 0) return;
    const before = this.#state;
    // After a trouble the event shows that it is over.
    const isAnew = before === undefined || this.#trouble !== undefined;
    this.#state = state;
    this.#trouble = undefined;
    const event = isAnew ? this.source.whole(state) : this.source.changes(before, state);
    if (event !== undefined) this.#send(this.source.event, event);
  }

  #failed(message: string): void {
    const since = this.#trouble?.since ?? machine.global.Date.now();
    if (this.#trouble?.message === message) return;
    this.#trouble = { since, message };
    this.#send('trouble', this.#trouble);
  }

  #send(event: string, data: object): void {
    const json = JSON.stringify(data);
    for (const viewer of this.#viewers) viewer(event, json);
  }
}

/** For people who may see the page, and need not see an address of Redis. */
function troubleText(error: unknown): string {
  if (!(error instanceof DistributedLockError)) return 'an error in the application: see its log';
  return error.code === 'UNAVAILABLE'
    ? 'Redis cannot be reached'
    : `Redis refused to be read (${error.code})`;
}
