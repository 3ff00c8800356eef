import type { CallingInstance } from './calling.instance.js';
import { SETTINGS } from './simulated.instance.js';
import type { World } from './world.js';

/** How long a round trip may take, in ms. */
const ROUND_TRIP = 250;

/** How long a reply may be on its way, in ms. */
const ON_ITS_WAY = 700;

/** After so long a forced unlock was done, or its process is dead, in ms. */
const FORCED = 10_000;

/** Holds that were granted until some moment, and that the store may not have any more. */
interface DataLoss {
  /** Undefined: of every lock. */
  readonly key?: string;
  readonly from: number;
  to: number;
}

/** What the store has lost, and which promises do not hold because of it. */
export class DataLosses {
  readonly #losses: DataLoss[] = [];
  /** Leases may last until then because the clock of the server was set back. */
  longerUntil = -Infinity;
  /** Tokens may have begun anew, below the last ones, at that moment. */
  tokensFrom = -Infinity;
  #hasLost = false;
  #dataLostAt = -Infinity;
  #clock = 0;
  #latestClock = 0;

  /** @param lease that of the watchdog, in ms */
  constructor(
    private readonly world: World,
    private readonly lease = SETTINGS.watchdogTimeout,
  ) {}

  /** The store has begun anew, without the last tokens. */
  ofData(): void {
    this.ofAll();
    this.#hasLost = true;
    this.#dataLostAt = this.world.now;
    this.#checkTokens();
  }

  /** The clock of the server was set. */
  ofClock(by: number): void {
    this.#clock += by;
    this.#latestClock = Math.max(this.#latestClock, this.#clock);
    if (by > 0) this.ofAll();
    else this.longerUntil = Math.max(this.longerUntil, this.world.now) - by;
    this.#checkTokens();
  }

  /** A new token is the clock of the server: behind the one before, it may be lower than the tokens before the data was lost. */
  #checkTokens(): void {
    if (this.#clock < this.#latestClock) this.tokensFrom = this.#dataLostAt;
  }

  /** Which keys the store may have lost, or an older value of which it may have, since the last call; undefined: none. */
  takeLost(): ((key: string) => boolean) | undefined {
    if (!this.#hasLost) return undefined;
    this.#hasLost = false;
    return () => true;
  }

  /** Any hold may be gone. */
  ofAll(): void {
    const { now } = this.world;
    this.#losses.push({ from: now, to: now + ON_ITS_WAY });
  }

  /** A lock is unlocked by force. @returns to be called when that is done */
  begin(key: string): () => void {
    const { now } = this.world;
    const loss = { key, from: now, to: now + FORCED };
    this.#losses.push(loss);
    return () => {
      loss.to = this.world.now;
    };
  }

  /** When another process last changed a hold of that key, of which it knew the id; -Infinity: never. */
  lastAt(key: string): number {
    return Math.max(-Infinity, ...this.#losses.map((loss) => (loss.key === key ? loss.to : -Infinity)));
  }

  /** Since when a hold may be gone though its holder, which was granted it at `since`, does not know yet; undefined: it is not. */
  lostAt(key: string, since: number, { calmSince }: CallingInstance): number | undefined {
    const { now } = this.world;
    return this.#losses.find(
      (loss) =>
        (loss.key ?? key) === key &&
        loss.from <= now &&
        since <= loss.to &&
        now <= Math.max(loss.to, calmSince) + this.#noticed,
    )?.from;
  }

  /** How long a holder may believe in what the store has lost, in ms: it asks after a third of its lease (docs/guarantees.md). */
  get #noticed(): number {
    return this.lease / 3 + ROUND_TRIP;
  }
}
