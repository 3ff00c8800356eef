import type {
  JobEvent,
  JobsEvent,
  LocksEvent,
  TroubleEvent,
} from '../../../distributed-lock/src/dashboard-feeds/dashboard.model.js';
import type { Clock } from '../clock.js';
import { Store } from '../store.js';
import { mergeFleet, pathOf, readAt, type FeedState, type Topic } from './feed.state.js';
import { isRefusal } from './refusal.js';

/** Without an event for so long, in ms, a connection is made anew: a network may drop one without closing it. */
const EVENT_TIMEOUT = 45_000;
const FIRST_PAUSE = 1000;
const LONGEST_PAUSE = 30_000;

/** The one connection of the page: that of its current topic, open while the page is visible. */
export class LiveFeed {
  readonly state = new Store<FeedState>({ connection: 'connecting' });
  private topic: Topic | undefined;
  private source: EventSource | undefined;
  private failures = 0;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private eventTimer: ReturnType<typeof setTimeout> | undefined;
  /** Whether the current connection has had an event. */
  private hasEvents = false;

  /** @param root the path to the root of the board */
  constructor(
    private readonly root: string,
    private readonly clock: Clock,
  ) {
    document.addEventListener('visibilitychange', () => this.followVisibility());
    globalThis.addEventListener('online', () => this.open());
    this.followVisibility();
  }

  show(topic: Topic): void {
    if (this.topic !== undefined && pathOf(topic) === pathOf(this.topic)) return;
    this.topic = topic;
    this.failures = 0;
    this.open();
  }

  /** Tries at once, whatever the pause between two attempts. */
  open(): void {
    this.close();
    if (this.topic === undefined || document.visibilityState === 'hidden') return;
    const source = new EventSource(this.root + pathOf(this.topic));
    this.source = source;
    this.hasEvents = false;
    this.expectEvents();
    this.listen<JobsEvent>('jobs', (state, event) => ({ ...state, fleet: mergeFleet(state.fleet, event) }));
    const { name = '', prefix = '' } = { ...this.topic } as { name?: string; prefix?: string };
    this.listen<JobEvent>('job', (state, event) => ({ ...state, job: { ...event, name } }));
    this.listen<LocksEvent>('locks', (state, event) => ({ ...state, locks: { ...event, prefix } }));
    source.addEventListener('trouble', ({ data }: MessageEvent<string>) => {
      if (this.source !== source) return;
      this.noteEvent();
      this.update({ connection: 'live', status: undefined, trouble: JSON.parse(data) as TroubleEvent });
    });
    source.addEventListener('error', () => {
      if (this.source !== source) return;
      if (source.readyState === EventSource.CLOSED) void this.reopenLater();
      else this.update({ connection: 'lost', status: undefined });
    });
  }

  private listen<T extends { readonly at: number }>(
    name: string,
    merge: (state: FeedState, event: T) => FeedState,
  ): void {
    const { source } = this;
    source?.addEventListener(name, ({ data }: MessageEvent<string>) => {
      if (this.source !== source) return;
      this.noteEvent();
      const event = JSON.parse(data) as T;
      this.clock.sync(event.at);
      this.update({
        ...merge(this.state.get(), event),
        connection: 'live',
        status: undefined,
        trouble: undefined,
      });
    });
  }

  private update(change: Partial<FeedState>): void {
    const state = { ...this.state.get(), ...change };
    const isLive = state.connection === 'live' && state.trouble === undefined;
    if (!isLive && this.topic !== undefined) this.clock.freeze(readAt(state, this.topic));
    this.state.set(state);
  }

  /** After an HTTP error a browser gives up, and does not say which one it was. */
  private async reopenLater(): Promise<void> {
    this.close();
    const { topic } = this;
    const refusal = await refusalOf(`${this.root}api/about`);
    if (this.topic !== topic || this.source !== undefined) return;
    this.update({ connection: refusal === undefined ? 'lost' : 'refused', status: refusal });
    const pause = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** this.failures);
    this.failures += 1;
    clearTimeout(this.retry);
    this.retry = setTimeout(() => this.open(), pause * (0.75 + Math.random() / 2));
  }

  private noteEvent(): void {
    this.hasEvents = true;
    this.failures = 0;
    this.expectEvents();
  }

  private expectEvents(): void {
    clearTimeout(this.eventTimer);
    this.eventTimer = setTimeout(() => {
      // A connection that had events may be silent because nothing changed.
      if (!this.hasEvents) this.update({ connection: 'lost', status: undefined });
      this.open();
    }, EVENT_TIMEOUT);
  }

  private followVisibility(): void {
    if (document.visibilityState === 'hidden') {
      this.close();
      this.clock.stop();
    } else {
      this.clock.start();
      this.open();
    }
  }

  private close(): void {
    clearTimeout(this.retry);
    clearTimeout(this.eventTimer);
    this.source?.close();
    this.source = undefined;
  }
}

/** @returns the status of a refusal, 0 for a page to sign in; undefined where the application did not refuse */
async function refusalOf(url: string): Promise<number | undefined> {
  try {
    const response = await fetch(url, { cache: 'no-store' });
    const isPage = response.ok && response.headers.get('content-type')?.includes('html') === true;
    return isPage || isRefusal(response) ? (response.ok ? 0 : response.status) : undefined;
  } catch {
    return undefined;
  }
}
