import { safetyMargin } from '../../libs/distributed-lock/src/renewal/lease.js';
import type { Belief, Wish } from './belief.js';
import type { CallingInstance } from './calling.instance.js';
import { SETTINGS } from './simulated.instance.js';
import type { SimulatedFleet } from './simulated.fleet.js';
import type { World } from './world.js';

/** How often the store is read, in ms. */
const PERIOD = 100;

/**
 * How long the store may have a hold that was released, or that its caller never got, in ms: the release is repeated within 0.5 s once Redis
 * answers (docs/degraded-redis.md), and a round trip has `commandTimeout`.
 */
export const RELEASED_WITHIN = 500 + SETTINGS.commandTimeout;

/** The same for a hold that was lost, or whose process is dead: it ends with its lease. */
const OVER_WITHIN = SETTINGS.watchdogTimeout + RELEASED_WITHIN;

/** A holder id in the store: `<holder>:write` is the field of a writer. */
const HOLDER = /^(?<holder>(?<client>.+):\d+)(?<write>:write)?$/;

/** A hold of an instance, as the store has it. */
interface InstanceHold {
  readonly key: string;
  readonly holder: string;
  readonly isPermit: boolean;
  /** Since when its process does not believe in it, though it has not released it; undefined: it does. */
  readonly lostSince: number | undefined;
}

/** Holds that the store has though no process believes in them: they are to go. */
export class StoredHolds {
  readonly #instances = new Map<string, CallingInstance>();
  readonly #keys = new Set<string>();
  /** Those of semaphores. */
  readonly #permitKeys = new Set<string>();
  /** Holders that have not released their hold: the store has it until the lease is over. */
  readonly #unreleased = new Set<string>();
  /** Holders of one of several locks whose caller waited for the others: one that was lost meanwhile is in the store until its lease is over. */
  readonly #parts = new Set<string>();
  /** Since when no process believes in a hold. */
  readonly #unbelieved = new Map<string, number>();
  #next = 0;

  constructor(
    private readonly world: World,
    private readonly fleet: SimulatedFleet,
    private readonly report: (what: string) => void,
  ) {}

  granted({ instance, key, sharing, handle: { holder } }: Belief): void {
    if (sharing === 'by permit') this.#permitKeys.add(key);
    const client = HOLDER.exec(holder)?.groups?.['client'] ?? holder;
    this.#instances.set(client, instance);
    this.#keys.add(key);
    this.#unreleased.add(holder);
  }

  /** Its caller releases it while it is held for certain. */
  released({ handle: { holder } }: Belief): void {
    this.#unreleased.delete(holder);
  }

  check(beliefs: ReadonlySet<Belief>, wishes: ReadonlySet<Wish>): void {
    const { now } = this.world;
    if (now < this.#next) return;
    this.#next = now + PERIOD;
    const believed = new Set<string>();
    for (const { instance, key, handle } of beliefs)
      if (instance.isLive && (!instance.isRunning || this.world.as(instance.process, () => handle.isHeld)))
        believed.add(`${key} ${handle.holder}`);
    // A caller of several locks has some of them while it waits for the others.
    for (const { instance, key: first, others } of wishes)
      for (const key of others === undefined ? [] : [first, ...others])
        believed.add(`${key} ${instance.name}`);
    const stored = new Set<string>();
    for (const key of this.#keys)
      for (const field of this.#holdersOf(key)) {
        const hold = `${key} ${field.holder}`;
        const attempt = `${key} ${this.#instances.get(field.client)?.name}`;
        if (believed.has(attempt)) this.#parts.add(field.holder);
        if (believed.has(hold) || believed.has(attempt)) continue;
        stored.add(hold);
        const since = this.#unbelieved.get(hold) ?? now;
        this.#unbelieved.set(hold, since);
        this.#judge(hold, field, since);
      }
    for (const hold of this.#unbelieved.keys()) if (!stored.has(hold)) this.#unbelieved.delete(hold);
  }

  /** What the store has of an instance. A hold whose lease ended is given up a margin before the store does. */
  holdsOf(instance: CallingInstance): InstanceHold[] {
    const margin = safetyMargin(SETTINGS.watchdogTimeout);
    return [...this.#keys].flatMap((key) =>
      this.#holdersOf(key)
        .filter(
          ({ client, holder }) =>
            this.#instances.get(client) === instance && this.#leftOf(key, holder) > margin,
        )
        .map(({ holder }) => ({
          key,
          holder,
          isPermit: this.#permitKeys.has(key),
          lostSince: this.#unreleased.has(holder)
            ? this.#unbelieved.get(`${key} ${holder}`)
            : instance.lost?.get(holder),
        })),
    );
  }

  #judge(hold: string, { holder, client }: StoredHolder, since: number): void {
    const instance = this.#instances.get(client);
    if (instance === undefined) {
      this.#judgeUnknown(hold, since);
      return;
    }
    const endsByItself = !instance.isLive || this.#unreleased.has(holder) || this.#parts.has(holder);
    const bound = endsByItself ? OVER_WITHIN : RELEASED_WITHIN;
    const { losses } = this.fleet;
    const key = keyOf(hold);
    const calmSince = instance.isLive ? instance.calmSince : instance.endedAt;
    // Another process may have extended a permit whose id it knew, also one of a dead process.
    const longerUntil = this.#permitKeys.has(key) ? losses.lastAt(key) : 0;
    const from = Math.max(since, calmSince, ...(endsByItself ? [losses.longerUntil, longerUntil] : []));
    if (this.world.now - from <= bound) return;
    const state = endsByItself ? 'over' : 'released';
    this.report(
      `the store has ${hold} of ${instance.name}, which is ${state}, for ${Math.round(this.world.now - from)} ms`,
    );
  }

  /** The process of a permit that its caller never got is not known; that of a lock was never granted anything. */
  #judgeUnknown(hold: string, since: number): void {
    const { live, lastTrouble, lastEnd } = this.fleet;
    if (!this.#permitKeys.has(keyOf(hold))) return;
    const calmSince = live.map((instance) => instance.calmSince);
    const from = Math.max(since, lastTrouble, lastEnd + SETTINGS.watchdogTimeout, ...calmSince);
    if (this.world.now - from > RELEASED_WITHIN)
      this.report(`the store has the permit ${hold}, which no caller has, for ${this.world.now - since} ms`);
  }

  #holdersOf(key: string): StoredHolder[] {
    if (this.#permitKeys.has(key))
      return this.fleet.server
        .permits(key)
        .ids()
        .map((id) => ({ holder: id, client: id }));
    const holders: StoredHolder[] = [];
    const isShared = this.fleet.server.hash(key).get('mode') === 'read';
    for (const [field, count] of this.fleet.server.hash(key)) {
      const { holder, client, write } = HOLDER.exec(field)?.groups ?? {};
      if (holder === undefined || client === undefined) continue;
      // The field of a reader may outlast its hold, which is a key of its own, while others read.
      if (isShared && write === undefined && !this.#hasReadHold(key, holder, Number(count))) continue;
      holders.push({ holder, client });
    }
    return holders;
  }

  /** What is left of a lease, in ms: a reader has one of its own. */
  #leftOf(key: string, holder: string): number {
    const { server } = this.fleet;
    if (this.#permitKeys.has(key)) return server.permits(key).leftOf(holder);
    const ofReader = server.ttl(`{${key}}:${holder}:rwlock_timeout:1`);
    return ofReader >= 0 ? ofReader : server.ttl(key);
  }

  #hasReadHold(key: string, holder: string, count: number): boolean {
    for (let n = 1; n <= count; n += 1)
      if (this.fleet.server.has(`{${key}}:${holder}:rwlock_timeout:${n}`)) return true;
    return false;
  }
}

/** A holder as the store has it. */
interface StoredHolder {
  readonly holder: string;
  /** The client uuid in it. */
  readonly client: string;
}

/** Of a hold, which is a key with a holder id. */
function keyOf(hold: string): string {
  return hold.replace(/ .*/, '');
}
