import { given, isTrue, type JavaCalls } from './java.calls.js';
import { readSections, type Section } from './lock.sections.js';
import { JavaError } from './java.error.js';
import type { Timed } from './timed.js';

/** Of an unlock while a cluster changes. */
const ATTEMPTS = 5;

/** How long a loop goes on: as many times, or for as many ms. */
export type LoopBound = { readonly times: number } | { readonly ms: number };

/** A lock of Redisson in the hand of one Java thread. Times are in ms. */
export class JavaLock {
  constructor(
    private readonly owner: JavaCalls,
    private readonly target: string,
  ) {}

  /** The holder id of the thread on the wire. */
  async holder(): Promise<string> {
    const { owner } = this;
    const [client, thread] = await Promise.all([
      owner.call('clientId', owner.client),
      owner.call('threadId'),
    ]);
    return `${client.value}:${thread.value}`;
  }

  /** Without a lease the watchdog renews it. */
  lock(lease?: number): Promise<Timed<string>> {
    return this.#call('lock', ...given(lease));
  }

  /** Without a wait it asks once; a lease of -1 is none. */
  async tryLock(wait?: number, lease?: number): Promise<Timed<boolean>> {
    return isTrue(await this.#call('tryLock', ...given(wait), ...given(lease)));
  }

  /** @throws JavaError IllegalMonitorStateException when the thread does not hold it */
  unlock(): Promise<Timed<string>> {
    return this.#call('unlock');
  }

  /**
   * Unlocks as an application does whose cluster changes: while a slot moves, or a master has died, Redisson may give up a command
   * with an exception of the connection, and it is repeated. Where the one before it had done its work, the lock is no longer held.
   * @param note what the attempts before the last one failed with
   */
  async unlockInTheEnd(note: (problem: string) => void): Promise<Timed<string>> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.unlock();
      } catch (error) {
        if (!(error instanceof JavaError)) throw error;
        const isGone = attempt > 1 && error.javaClass === 'IllegalMonitorStateException';
        if (isGone) return { value: '', from: error.from, at: error.at };
        if (attempt === ATTEMPTS || !error.javaClass.startsWith('Redis')) throw error;
        note(error.message);
      }
    }
  }

  async forceUnlock(): Promise<Timed<boolean>> {
    return isTrue(await this.#call('forceUnlock'));
  }

  async isLocked(): Promise<boolean> {
    return (await this.#call('isLocked')).value === 'true';
  }

  async isHeld(): Promise<boolean> {
    return (await this.#call('isHeld')).value === 'true';
  }

  async holdCount(): Promise<number> {
    return Number((await this.#call('holdCount')).value);
  }

  async ttl(): Promise<number> {
    return Number((await this.#call('ttl')).value);
  }

  /** For a fenced lock. Redisson ignores the lease here. */
  async lockAndGetToken(lease?: number): Promise<bigint> {
    return BigInt((await this.#call('lockAndGetToken', ...given(lease))).value);
  }

  /** For a fenced lock. @returns undefined when it was refused */
  async tryLockAndGetToken(wait: number, lease?: number): Promise<bigint | undefined> {
    const { value } = await this.#call('tryLockAndGetToken', wait, ...given(lease));
    return value === '' ? undefined : BigInt(value);
  }

  /** For a fenced lock: the newest token, whoever has it. */
  async getToken(): Promise<bigint> {
    return BigInt((await this.#call('getToken')).value);
  }

  /** Takes the lock again and again, and adds 1 to `counter` each time, by a GET and a SET. */
  async loop(counter: string, bound: LoopBound): Promise<Section[]> {
    const [times, ms] = 'times' in bound ? [bound.times, 0] : [0, bound.ms];
    const { value } = await this.#call('loop', this.owner.client, counter, times, ms);
    return readSections(value);
  }

  #call(verb: string, ...words: readonly (string | number)[]): Promise<Timed<string>> {
    return this.owner.call(verb, this.target, ...words);
  }
}
