import {
  fairAcquire,
  fairHeartbeat,
  fairRelease,
  renewalRenew,
} from '../../libs/distributed-lock/src/scripts/generated/lua.scripts.js';
import type { LuaScript } from '../../libs/distributed-lock/src/script-runner/lua.script.js';
import { lockChannel } from '../../libs/distributed-lock/src/scripts/wire.names.js';
import { fairKeysOf } from './fair.actions.js';
import { JAVA_ACQUIRE, JAVA_UNLOCK } from './java.fair.scripts.js';
import type { ModelStore } from './model.store.js';

/** Ten times as long as in the library, so that the ms that really pass do not matter. In ms. */
export const SCALE = 10;
const [PERIOD, FLOOR, POLL, LONGEST] = [1000 * SCALE, 50 * SCALE, 1000 * SCALE, 30_000 * SCALE];
export const LIFE = 3000 * SCALE;
const MARGIN = 5000 * SCALE;
const LEASE = 30_000 * SCALE;
const GIFT = LIFE;

/** Somebody who comes, waits however long it takes, has the lock for a while, and goes; unless his process is killed before. */
export interface Person {
  readonly process: string;
  readonly comes: number;
  readonly wait: number;
  readonly hold: number;
  /** Whether the release before makes it the holder at once. */
  readonly isGiven: boolean;
}

export interface Crowd {
  readonly people: readonly Person[];
  /** When processes are killed. */
  readonly deaths: Readonly<Record<string, number>>;
}

/** A grant as it came about. */
export interface Granted {
  readonly name: string;
  readonly at: number;
  /** Who had come before, waits, and lives. */
  readonly passed: readonly string[];
  readonly waited: number;
  /** For how long nobody had the lock while somebody of the library, who lives, waited: 0 or less for nobody. */
  readonly idle: number;
}

interface Actor {
  readonly name: string;
  readonly person: Person;
  readonly isJava: boolean;
  /** In the order in which they came to stand in the queue. */
  place: number | undefined;
  state: 'waits' | 'has it' | 'is gone';
}

/** People at one lock, in the time of the test: each does what the library's waiters do, or those of Java. */
export class FairCrowd {
  readonly grants: Granted[] = [];
  attempts = 0;
  #now = 0;
  #places = 0;
  /** When the lock was let go, or will run out. */
  #freeFrom = 0;
  readonly #actors = new Map<string, Actor>();
  readonly #agenda = new Map<string, { at: number; act: () => Promise<void> }>();
  readonly #keys: readonly string[];
  readonly #channel: string;

  constructor(
    private readonly store: ModelStore,
    private readonly lock: string,
    private readonly crowd: Crowd,
  ) {
    const { queue, timeout, waits, alive } = fairKeysOf(lock);
    this.#keys = [lock, queue, timeout, waits, alive];
    this.#channel = lockChannel(lock);
    for (const [index, person] of crowd.people.entries()) {
      const isJava = person.process.startsWith('java');
      const name = `${person.process}:${index + 1}`;
      this.#actors.set(name, { name, person, isJava, place: undefined, state: 'waits' });
      this.#plan(name, person.comes, () => this.#ask(name));
    }
    for (const [process, at] of Object.entries(crowd.deaths))
      this.#plan(`death of ${process}`, at, async () => this.#kill(process));
  }

  /** Lets everything happen. @returns how long it took, in ms of the test */
  async play(): Promise<number> {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      const [name, { at, act }] = next;
      this.#agenda.delete(name);
      if (at > this.#now) await this.store.dump.shift(at - this.#now);
      this.#now = Math.max(at, this.#now);
      await act();
    }
    return this.#now;
  }

  /** Whose turn never came, though they live. */
  get waiting(): string[] {
    return [...this.#actors.values()].filter(({ state }) => state === 'waits').map(({ name }) => name);
  }

  /**
   * Since when somebody of the library, who lives, waits without a break. Java's waiters do not count: whom Java took out
   * of the queue sleeps until its own time is up, and a lock that is free meanwhile keeps nobody of ours waiting.
   */
  #waitingSince(): number {
    const waiters = [...this.#actors.values()].filter(({ state, isJava }) => state === 'waits' && !isJava);
    return Math.min(...waiters.map(({ person }) => Math.max(person.comes, 0)));
  }

  #plan(name: string, at: number, act: () => Promise<void>): void {
    this.#agenda.set(name, { at, act });
  }

  #next(): [string, { at: number; act: () => Promise<void> }] | undefined {
    return [...this.#agenda].reduce<[string, { at: number; act: () => Promise<void> }] | undefined>(
      (first, entry) => (first === undefined || entry[1].at < first[1].at ? entry : first),
      undefined,
    );
  }

  /** Runs a script, and wakes those whom it tells. */
  async #run(
    script: LuaScript | string,
    keys: readonly string[],
    args: readonly (string | number)[],
  ): Promise<unknown> {
    const { reply, messages, after } = await this.store.run(script, keys, args);
    const ttl = after[this.lock]?.ttl;
    // A lock that ran out was free from then on, also where nobody looked before.
    this.#freeFrom = ttl === undefined ? Math.min(this.#freeFrom, this.#now) : this.#now + ttl;
    for (const text of messages) {
      const [name = '', payload = ''] = text.slice(this.#channel.length + 1).split(' ');
      const actor = this.#actors.get(name);
      if (actor?.state !== 'waits') continue;
      if (payload === '2') this.#granted(actor, 0, GIFT);
      else this.#plan(name, this.#now, () => this.#ask(name));
    }
    return Array.isArray(reply) && typeof script !== 'string' ? reply[0] : reply;
  }

  async #ask(name: string): Promise<void> {
    const actor = this.#actors.get(name);
    if (actor === undefined) return;
    const { wait } = actor.person;
    const idle = this.#now - Math.max(this.#freeFrom, this.#waitingSince());
    this.attempts += 1;
    const reply = actor.isJava
      ? await this.#run(JAVA_ACQUIRE, this.#keys.slice(0, 3), [name, wait, LEASE, this.#channel])
      : await this.#run(fairAcquire, this.#keys, [
          'PUBLISH',
          LIFE,
          MARGIN,
          name,
          LEASE,
          1,
          wait,
          actor.person.isGiven ? GIFT : 0,
          this.#channel,
        ]);
    if (reply === 'acquired' || (Array.isArray(reply) && reply[0] === 1)) {
      this.#granted(actor, idle);
      return;
    }
    actor.place ??= this.#places++;
    const { process } = actor.person;
    if (!actor.isJava && !this.#agenda.has(process))
      this.#plan(process, this.#now + PERIOD, () => this.#beat(process));
    const ttl = Number(Array.isArray(reply) ? reply[1] : reply);
    const sleep = Math.min(ttl < 0 ? POLL : Math.max(ttl, FLOOR), LONGEST);
    this.#plan(name, this.#now + sleep, () => this.#ask(name));
  }

  #granted(actor: Actor, idle: number, lease = LEASE): void {
    const { name, person, place = this.#places } = actor;
    const passed = [...this.#actors.values()].filter(
      (other) => other.state === 'waits' && other !== actor && (other.place ?? Infinity) < place,
    );
    this.grants.push({
      name,
      at: this.#now,
      waited: this.#now - person.comes,
      idle,
      passed: passed.map((other) => other.name),
    });
    actor.state = 'has it';
    this.#hold(actor, this.#now + person.hold, lease);
  }

  /** Renews the lease as the watchdog does, and ends the hold in its time. */
  #hold(actor: Actor, until: number, lease: number): void {
    const { name, isJava } = actor;
    const next = Math.min(until, this.#now + lease / 3);
    this.#plan(name, next, async () => {
      if (next < until) {
        await this.#run(renewalRenew, [this.lock], [LEASE, name]);
        this.#hold(actor, until, LEASE);
        return;
      }
      actor.state = 'is gone';
      if (isJava) await this.#run(JAVA_UNLOCK, this.#keys.slice(0, 3), [name, 0, LEASE, this.#channel]);
      else await this.#release(name);
    });
  }

  /** What it hands on to one of its own process is told by the answer alone. */
  async #release(name: string): Promise<void> {
    const args = ['PUBLISH', MARGIN, LEASE, name, 0, LEASE, this.#channel];
    const reply = await this.#run(fairRelease, this.#keys, args);
    const next = Array.isArray(reply) ? this.#actors.get(String(reply[2])) : undefined;
    if (next?.state === 'waits') this.#granted(next, 0);
  }

  async #beat(process: string): Promise<void> {
    const live = [...this.#actors.values()].flatMap(({ name, person, state }) =>
      person.process === process && state !== 'is gone' ? [Number(name.split(':')[1])] : [],
    );
    const reply = await this.#run(fairHeartbeat, this.#keys, [
      'PUBLISH',
      LIFE,
      MARGIN,
      process,
      this.#actors.size,
      JSON.stringify(live),
      this.#channel,
    ]);
    const told = Array.isArray(reply) ? Number(reply[1]) : -1;
    const next = told >= 0 ? Math.min(PERIOD, Math.max(told, FLOOR)) : PERIOD;
    if (
      [...this.#actors.values()].some(({ person, state }) => person.process === process && state === 'waits')
    )
      this.#plan(process, this.#now + next, () => this.#beat(process));
  }

  #kill(process: string): void {
    this.#agenda.delete(process);
    for (const actor of this.#actors.values())
      if (actor.person.process === process) {
        actor.state = 'is gone';
        this.#agenda.delete(actor.name);
      }
  }
}
