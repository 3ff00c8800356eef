import { LockNotAcquiredError, LockUnavailableError, type HeldBy } from '../errors/lock.errors.js';
import { RedisFailure } from '../redis/redis.failure.js';
import type { QuorumServer, QuorumTerms, RoundRefusal } from './quorum.contract.js';

/** The answers of the servers so far. */
export class QuorumTally {
  /** The servers that get a request: none, where the quorum is out of reach from the start. */
  readonly requested: readonly QuorumServer[];
  readonly #usable: number;
  readonly #busy: HeldBy[] = [];
  readonly #failures: RedisFailure[] = [];
  readonly #troubles: readonly string[];
  #granted = 0;

  constructor(private readonly terms: QuorumTerms) {
    const troubles = terms.servers.map(({ trouble }) => trouble);
    const usable = terms.servers.filter((_, index) => troubles[index] === undefined);
    this.#troubles = troubles.filter((trouble) => trouble !== undefined);
    this.#usable = usable.length;
    this.requested = usable.length < terms.quorum ? [] : usable;
  }

  get granted(): number {
    return this.#granted;
  }

  /** How many servers have not answered yet. */
  get pending(): number {
    return this.requested.length - this.#granted - this.#busy.length - this.#failures.length;
  }

  grant(): void {
    this.#granted += 1;
  }

  refuse(heldBy: HeldBy): void {
    this.#busy.push(heldBy);
  }

  fail(error: unknown): void {
    if (error instanceof LockNotAcquiredError) this.refuse(error.heldBy);
    else
      this.#failures.push(
        RedisFailure.from(error instanceof LockUnavailableError ? (error.cause ?? error) : error),
      );
  }

  get refusal(): RoundRefusal {
    const { quorum, servers } = this.terms;
    const reachable = this.#usable - this.#failures.length;
    const [heldBy, most] = this.#mostHeldBy();
    const silent = servers.length - this.#granted - this.#busy.length;
    return {
      heldBy,
      isSplit: most + silent < quorum,
      granted: this.#granted,
      isReachable: reachable >= quorum,
      freeIn: this.#freeIn(),
      failure: this.#failure(reachable),
    };
  }

  /** Permanent, when too many servers refuse permanently. */
  #failure(reachable: number): RedisFailure {
    const { quorum, servers } = this.terms;
    const forGood = this.#failures.filter(({ isTransient }) => !isTransient);
    const [first] = forGood;
    if (first !== undefined && servers.length - forGood.length < quorum) return first;
    const reasons = new Set([...this.#troubles, ...this.#failures.map(({ message }) => message)]);
    return new RedisFailure(
      'unsent',
      `${reachable} of ${servers.length} servers answered, and ${quorum} are needed (${[...reasons].join('; ')})`,
    );
  }

  /** When other holders will have freed as many servers as are missing now; a server that has not answered may be free. */
  #freeIn(): number {
    const ttls = this.#busy.map(({ ttl }) => ttl ?? -1).filter((ttl) => ttl >= 0);
    const missing = this.terms.quorum - this.#granted - this.pending;
    return ttls.toSorted((a, b) => a - b)[Math.max(missing, 1) - 1] ?? Infinity;
  }

  #mostHeldBy(): [HeldBy, number] {
    let [found, most]: [HeldBy, number] = [{}, 0];
    for (const heldBy of this.#busy) {
      const count = this.#busy.filter(({ holder }) => clientOf(holder) === clientOf(heldBy.holder)).length;
      if (count > most) [found, most] = [heldBy, count];
    }
    return [found, most];
  }
}

/** A hold has one id on the servers that granted it in one round, and other ids on servers where it was completed later. */
function clientOf(holder: string | undefined): string | undefined {
  return holder?.slice(0, holder.lastIndexOf(':'));
}

/** How many of several servers are their majority. */
export function majorityOf(servers: number): number {
  return Math.floor(servers / 2) + 1;
}
