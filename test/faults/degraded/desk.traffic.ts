import { endingOf, type Ending } from './repeated.calls.js';

/** A request, and how it ended: its status, or why there was none. */
export interface Served extends Ending {
  readonly isGuarded: boolean;
  /** Which instance it went to. */
  readonly instance: number;
}

/** Different locks of ten guarded requests: one after the other, and the hot one. */
const ACCOUNTS = 8;

/** The most requests under way: a process that is too slow for the rate must not be kept busy with sending alone. */
const MOST = 1000;

/** Sends requests to several instances in turn, whether the ones before have been answered or not. */
export class DeskTraffic {
  readonly served: Served[] = [];
  readonly #underWay = new Set<Promise<void>>();
  readonly #timer: NodeJS.Timeout;
  #sent = 0;

  /** @param rate requests per second, to all instances together */
  constructor(
    private readonly urls: readonly string[],
    rate: number,
  ) {
    const start = performance.now();
    // A timer that comes late makes up for what it has missed.
    this.#timer = setInterval(() => {
      const due = ((performance.now() - start) * rate) / 1000;
      while (this.#sent < due && this.#underWay.size < MOST) this.#send();
    }, 5);
  }

  guarded(how: string): readonly Served[] {
    return this.served.filter((each) => each.isGuarded && each.how === how);
  }

  /** When the first request that an instance got after `from`, or before, was served under a lock after `from`. */
  firstServed(instance: number, from: number): number {
    const ends = this.guarded('200')
      .filter((each) => each.instance === instance)
      .map(({ at, took }) => at + took);
    return Math.min(...ends.filter((end) => end >= from));
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#underWay);
  }

  #send(): void {
    const number = this.#sent;
    this.#sent += 1;
    const instance = number % this.urls.length;
    const path = pathOf(Math.floor(number / this.urls.length));
    const ending = endingOf(async () => {
      const response = await fetch(`${this.urls[instance] ?? ''}${path}`);
      await response.arrayBuffer();
      return response.status;
    }).then((each) => {
      this.served.push({ ...each, instance, isGuarded: path !== '/free' });
      this.#underWay.delete(ending);
    });
    this.#underWay.add(ending);
  }
}

/** Of ten requests six need no lock, three different ones, and one the lock that all ask for. */
function pathOf(number: number): string {
  const place = number % 10;
  if (place === 9) return '/hot';
  return place % 3 === 1 ? `/accounts/${number % ACCOUNTS}` : '/free';
}
