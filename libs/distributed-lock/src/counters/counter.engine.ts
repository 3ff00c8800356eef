import { isInside } from '../holds/hold.scope.js';
import type { WaitRequest } from '../waiters/waiter.js';
import type { CounterTarget } from '../core/counter.target.js';
import { LocalLatch } from './local.latch.js';
import { LocalLockRegistry } from '../local/local.lock.registry.js';
import { QueuePlaces } from '../process-queue/queue.places.js';
import type { LockContext } from '../core/lock.context.js';
import { shuttingDown } from '../core/unavailable.errors.js';
import type { NameRegistry } from '../core/name.registry.js';
import type { PermitScope } from './permit.scope.js';
import { LocalSemaphore } from './local.semaphore.js';

/** The semaphores and latches of a module instance that callers of this process wait for, or work under. */
export class CounterEngine {
  readonly semaphores: LocalLockRegistry<CounterTarget, LocalSemaphore>;
  readonly latches: LocalLockRegistry<CounterTarget, LocalLatch>;
  /** The places of this process in the queues of semaphores. */
  readonly places: QueuePlaces;
  readonly #scopes = new Set<PermitScope>();
  #closing = false;

  constructor(
    readonly context: LockContext,
    readonly names: NameRegistry,
  ) {
    this.semaphores = new LocalLockRegistry(
      context,
      (registry, target) => new LocalSemaphore(registry, target),
    );
    this.places = new QueuePlaces({
      context,
      // Permits have no holder, and giving up a place frees none.
      isHeld: () => false,
      isWaitedFor: (id) => this.semaphores.get(id)?.isWaitedFor === true,
      ended: (place) => this.semaphores.get(place.target.id)?.leftQueue(place),
    });
    this.semaphores.places = this.places;
    this.latches = new LocalLockRegistry(context, (registry, target) => new LocalLatch(registry, target));
  }

  /**
   * Whether the caller runs inside a lock that it holds: shutdown lets it go on.
   * @throws LockUnavailableError `SHUTTING_DOWN` for any other caller once the application shuts down
   */
  enter(name: string): boolean {
    const nested = isInside(this.context);
    if (this.#closing && !nested) throw shuttingDown(name);
    return nested;
  }

  /** Registers a scope while it runs. */
  async during<T>(scope: PermitScope, work: () => Promise<T>): Promise<T> {
    this.#scopes.add(scope);
    try {
      return await work();
    } finally {
      this.#scopes.delete(scope);
    }
  }

  /** The work that runs under permits. */
  get scopes(): readonly PermitScope[] {
    return [...this.#scopes];
  }

  /** Resolves when no caller of this process waits, or works under permits. */
  async idle(): Promise<void> {
    await Promise.all([this.semaphores.idle(), this.latches.idle()]);
  }

  /** From now on only callers inside a lock that they hold may wait; other waiters are refused. */
  refuseNewcomers(): void {
    this.#closing = true;
    this.#refuse(({ nested }) => !nested);
  }

  /** Aborts the work under permits. */
  abort(): void {
    for (const scope of this.#scopes) scope.abort();
  }

  /** Refuses the callers that still wait, and gives back the permits under which work still runs: with this process they would be lost. */
  end(): void {
    this.#refuse(() => true);
    for (const scope of this.#scopes) void scope.giveBack();
  }

  #refuse(isRefused: (request: WaitRequest) => boolean): void {
    for (const { target, waiters } of [...this.semaphores.values(), ...this.latches.values()])
      waiters.refuse((request) => (isRefused(request) ? shuttingDown(target.name) : undefined));
  }
}
