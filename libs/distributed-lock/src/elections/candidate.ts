import { AsyncLocalStorage } from 'node:async_hooks';
import type { Election, ElectionCallbacks } from '../contracts/election.contract.js';
import { WakeSignal } from '../acquire/wake.signal.js';
import { Campaign } from './campaign.js';
import { Leadership } from './leadership.js';
import type { LockEngine } from '../locks/lock.engine.js';
import type { LockTarget } from '../core/lock.target.js';
import { LOSSES, type LossReason } from '../errors/loss.reasons.js';
import { showAs } from '../objects/object.form.js';
import { machine } from '../timing/machine.js';

/** Pauses before the next campaign, in ms: after a leadership, and after a failure, doubled up to the longest while failures go on. */
const CAMPAIGN_PAUSE = { again: 500, failed: 1000, longest: 30_000 };

/** Campaigns for the leadership of a lock's name, leads, and campaigns again, until it leaves. */
export class Candidate implements Election {
  static {
    showAs(Candidate, ({ key, isLeader }) => ({ type: 'Election', key, isLeader }));
  }

  readonly inCaller = AsyncLocalStorage.snapshot();
  readonly #leaving = new AbortController();
  readonly #left: Promise<void>;
  readonly #campaign: Campaign;
  readonly #rest: WakeSignal;
  #standing: Promise<void> | undefined;
  #leadership: Leadership | undefined;
  #failures = 0;

  // A `#` field: a logger, or a comparison, of an election must not walk through all locks of the process.
  readonly #engine: LockEngine;
  readonly #target: LockTarget;

  constructor(
    engine: LockEngine,
    target: LockTarget,
    readonly callbacks: ElectionCallbacks,
  ) {
    this.#engine = engine;
    this.#target = target;
    const { signal } = this.#leaving;
    this.#left = new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    this.#campaign = new Campaign(engine, target, this.#leaving);
    this.#rest = new WakeSignal(engine.context.wheel);
  }

  get key(): string {
    return this.#target.name;
  }

  get isLeader(): boolean {
    return this.leadership !== undefined;
  }

  get token(): bigint | undefined {
    return this.leadership?.token;
  }

  /** Its leadership, as long as that can be relied on. */
  get leadership(): Leadership | undefined {
    return this.#leadership?.isCurrent === true ? this.#leadership : undefined;
  }

  /** See {@link Campaign.requested}. */
  get requested(): Promise<void> {
    return this.#campaign.requested;
  }

  /** Starts the candidate, at the first call; resolves when it has left. Its waiting and leading run in no caller's scope. */
  stand(): Promise<void> {
    return (this.#standing ??= this.#engine.context.outside(() => this.#stand()));
  }

  async resign(): Promise<void> {
    await this.#end(LOSSES.resigned);
  }

  async stop(): Promise<void> {
    const isInside = this.#leadership?.isAround === true;
    this.#leaving.abort();
    this.#rest.wake();
    await this.#end(LOSSES.leftElection);
    if (!isInside) await this.#standing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  get #hasLeft(): boolean {
    return this.#leaving.signal.aborted;
  }

  async #end(reason: LossReason): Promise<void> {
    const leadership = this.#leadership;
    leadership?.end(reason);
    // What the leader's own work waits for must not wait for that work.
    if (leadership?.isAround === false) await leadership.serve();
  }

  async #stand(): Promise<void> {
    while (!this.#hasLeft) {
      const failed = !(await this.#leadOnce());
      this.#failures = failed ? this.#failures + 1 : 0;
      if (!this.#hasLeft) await this.#rest.sleep(this.#pause());
    }
  }

  /** @returns false when the campaign was refused, or `onElected` failed */
  async #leadOnce(): Promise<boolean> {
    const handle = await this.#campaign.win();
    if (handle === undefined) return false;
    // It may have left at any moment until this turn.
    if (this.#hasLeft) {
      await handle.unlock().catch(() => undefined);
      return false;
    }
    const leadership = new Leadership(this.#engine.context, handle, this);
    this.#leadership = leadership;
    await leadership.serve();
    // Work that goes on in spite of its signal must not run beside a second leadership of its own candidate.
    await Promise.race([leadership.idle(), this.#left]);
    this.#leadership = undefined;
    return !leadership.hasFailed;
  }

  /** Jittered, so that the candidates of a fleet do not campaign again in step. */
  #pause(): number {
    const pause =
      this.#failures === 0
        ? CAMPAIGN_PAUSE.again
        : Math.min(CAMPAIGN_PAUSE.failed * 2 ** (this.#failures - 1), CAMPAIGN_PAUSE.longest);
    return pause * (0.75 + 0.5 * machine.global.Math.random());
  }
}
