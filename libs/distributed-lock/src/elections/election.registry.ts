import type { Election, ElectionCallbacks } from '../contracts/election.contract.js';
import type { InstanceElection } from '../contracts/fleet.contract.js';
import { Candidate } from './candidate.js';
import type { Leadership } from './leadership.js';
import { checkCallbackNames, invalidOption, optionNames } from '../options/option.checks.js';
import type { LockEngine } from '../locks/lock.engine.js';

const CALLBACKS = optionNames<ElectionCallbacks>({ onElected: true, onRevoked: true });

/** The candidates of one module instance. */
export class ElectionRegistry {
  readonly #candidates = new Map<string, Set<Candidate>>();
  #isClosing = false;

  constructor(private readonly engine: LockEngine) {}

  /** @throws LockConfigurationError `INVALID_NAME`, `INVALID_OPTION`, `KIND_CONFLICT` */
  open(key: string, callbacks: ElectionCallbacks): Election {
    check(key, callbacks);
    return this.#open(key, callbacks);
  }

  /** Ensures that this instance has a candidate. @returns when it is known whether the candidate leads */
  async join(key: string): Promise<void> {
    const candidates = this.#candidates.get(key) ?? [this.#join(key)];
    await Promise.all([...candidates].map(({ requested }) => requested));
  }

  /** The leadership of the candidate of this instance that leads now. The first call for a key starts a candidate. */
  leaderOf(key: string): Leadership | undefined {
    const candidates = this.#candidates.get(key) ?? [this.#join(key)];
    for (const { leadership } of candidates) if (leadership !== undefined) return leadership;
    return undefined;
  }

  /** The elections in which this instance has a candidate. */
  get own(): InstanceElection[] {
    return [...this.#candidates].map(([key, all]) => ({
      key,
      isLeader: [...all].some((candidate) => candidate.isLeader),
    }));
  }

  /** All candidates leave; from now on none is started. Resolves when the locks are given back. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await Promise.all([...this.#candidates.values()].flatMap((all) => [...all].map((each) => each.stop())));
  }

  /** The candidate has no callbacks, and must not keep the context of the request that came first. */
  #join(key: string): Candidate {
    return this.engine.context.outside(() => this.#open(key, {}));
  }

  #open(key: string, callbacks: ElectionCallbacks): Candidate {
    const { names, context } = this.engine;
    const candidate = new Candidate(this.engine, names.target(context.kinds.leader, key), callbacks);
    if (this.#isClosing) {
      void candidate.stop();
      return candidate;
    }
    const all = this.#candidates.get(key) ?? new Set();
    this.#candidates.set(key, all.add(candidate));
    void candidate.stand().then(() => {
      all.delete(candidate);
      if (all.size === 0) this.#candidates.delete(key);
    });
    return candidate;
  }
}

/** For callers without types. */
function check(key: string, callbacks: ElectionCallbacks): void {
  checkCallbackNames(callbacks, CALLBACKS, undefined, key);
  for (const name of ['onElected', 'onRevoked'] as const) {
    const callback: unknown = callbacks[name];
    if (callback === undefined || typeof callback === 'function') continue;
    throw invalidOption(
      `${name} of elect("${String(key)}") must be a function, not ${String(callback)}.`,
      key,
    );
  }
}
