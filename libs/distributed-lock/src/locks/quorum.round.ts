import { LockNotAcquiredError, LockUnavailableError, type HeldBy } from '../errors/lock.errors.js';
import { RedisFailure } from '../redis/redis.failure.js';
import type { Grant } from './grant.js';
import { GroupHandle } from './group.handle.js';
import type { LockEngine } from './lock.engine.js';
import type { LockTarget } from './lock.target.js';
import type { AcquireRequest } from './reentry.js';

/** One of the independent servers. */
export interface QuorumServer {
  readonly engine: LockEngine;
  /** Whether it can be asked, and its answer counts: not one that may have forgotten grants when it started. */
  readonly isTrusted: boolean;
}

/** Why a round did not get enough. */
export interface RoundRefusal {
  /** Servers on which somebody else has it. */
  readonly busy: readonly HeldBy[];
  /** How many servers granted it. */
  readonly granted: number;
  /** Servers that could be asked. */
  readonly reachable: number;
  /** What one of the others said. */
  readonly cause: unknown;
}

/** A lock on several servers, as one caller asks for it. */
export interface QuorumWish {
  readonly name: string;
  readonly quorum: number;
  readonly servers: readonly QuorumServer[];
  readonly targetOn: (engine: LockEngine) => LockTarget;
}

/**
 * Asks every server at once, and is done as soon as the quorum is there or out of reach. What is granted later joins the
 * handle; of a round that failed every grant is given back, late ones as well.
 */
export function askQuorum(wish: QuorumWish, request: AcquireRequest): Promise<GroupHandle | RoundRefusal> {
  return new Promise((resolve) => new QuorumRound(wish, request, resolve).ask());
}

class QuorumRound {
  readonly #handle: GroupHandle;
  readonly #busy: HeldBy[] = [];
  readonly #granted: Grant[] = [];
  #pending = 0;
  #unreachable = 0;
  #cause: unknown;
  #isOver = false;

  constructor(
    private readonly wish: QuorumWish,
    private readonly request: AcquireRequest,
    private readonly tell: (outcome: GroupHandle | RoundRefusal) => void,
  ) {
    this.#handle = new GroupHandle(wish.name, [], wish.quorum);
  }

  ask(): void {
    const { servers, targetOn } = this.wish;
    this.#pending = servers.length;
    for (const { engine, isTrusted } of servers) {
      if (!isTrusted) {
        this.#refused(new RedisFailure('unsent', 'a server is away, or has just started'));
        continue;
      }
      engine.acquire(targetOn(engine), { ...this.request, waitTime: 0 }).then(
        (grant) => this.#got(grant),
        (error: unknown) => this.#refused(error),
      );
    }
  }

  #got(grant: Grant): void {
    this.#pending -= 1;
    if (!this.#handle.isOpen) {
      void grant.unlock().catch(() => undefined);
      return;
    }
    this.#granted.push(grant);
    this.#handle.join(grant);
    this.#check();
  }

  #refused(error: unknown): void {
    this.#pending -= 1;
    if (error instanceof LockNotAcquiredError) {
      this.#busy.push(error.heldBy);
    } else {
      this.#unreachable += 1;
      this.#cause = error instanceof LockUnavailableError ? (error.cause ?? error) : error;
    }
    this.#check();
  }

  #check(): void {
    if (this.#isOver) return;
    const { quorum, servers } = this.wish;
    // What was granted first may be over by now: only what is still held counts.
    const held = this.#granted.filter(({ isHeld }) => isHeld).length;
    if (held >= quorum) {
      this.#isOver = true;
      this.tell(this.#handle);
    } else if (held + this.#pending < quorum) {
      this.#isOver = true;
      const { length: granted } = this.#granted;
      const reachable = servers.length - this.#unreachable;
      // Its own keys must not be in the way of the next round. Who does not answer goes on being freed in the background.
      void this.#handle
        .unlock()
        .catch(() => undefined)
        .then(() => this.tell({ busy: this.#busy, granted, reachable, cause: this.#cause }));
    }
  }
}
