import type { BusyContext, GuardOptions, LockNames } from '../contracts/guard.contract.js';
import type { LockHandle } from '../contracts/lock.contract.js';
import { LockNotAcquiredError } from '../errors/lock.errors.js';
import { criticalSection } from '../locks/critical.section.js';
import { SHORTEST_LEASE } from '../holds/fixed.lease.js';
import { invalidOption, parseDuration } from '../options/option.checks.js';
import { checkKind } from '../service/choice.checks.js';
import type { LockService } from '../service/lock.service.js';
import { markReported } from './reported.refusals.js';
import { RateLimitedLog } from './rate.limited.log.js';

/** The names of {@link GuardOptions}, for the tables of the guards that add their own. */
export const GUARD_OPTIONS: Readonly<Record<keyof GuardOptions, true>> = {
  kind: true,
  waitTime: true,
  leaseTime: true,
  onBusy: true,
  onLost: true,
  service: true,
};

/** The option that makes a refused call return nothing, for messages; undefined if the call throws, or has another result. */
export function skippingOption({ onBusy }: { readonly onBusy?: unknown }): string | undefined {
  return onBusy === 'skip' ? "onBusy: 'skip'" : undefined;
}

/** One call that requests to enter. */
export interface Entry<A extends readonly unknown[]> {
  readonly locks: LockService;
  /** The lock's name, or several of a multi lock. */
  readonly names: LockNames;
  /** The arguments for `onBusy`. */
  readonly args: A;
  /** Ends the wait when it aborts. */
  readonly signal?: AbortSignal | undefined;
  /** Called for a refused call only. @returns the kind of its handler, if it is one of a microservice */
  readonly patternOf: () => 'message' | 'event' | undefined;
  /** Called for a refused call only. @returns whether a request stays without an answer if its handler is skipped. @default it is answered */
  readonly answersItself?: () => boolean;
}

/** The part that the decorator and the interceptor share: work that runs only under its lock, and the result of a refused call. */
export class GuardedScope<A extends readonly unknown[]> {
  /** By service, since two applications of one process do not share a log. */
  readonly #logs = new WeakMap<LockService, RateLimitedLog>();

  /**
   * @param where class and method, for messages
   * @throws LockConfigurationError `INVALID_OPTION`
   */
  constructor(
    private readonly guardKind: 'decorator' | 'interceptor',
    private readonly options: GuardOptions<A>,
    private readonly where: string,
  ) {
    check(options, where);
  }

  /**
   * Runs `work` under the lock; its result or error stands. A refused call gives the result of `onBusy`. Refusals of other locks, which the
   * work requests, are the work's own errors.
   * @throws LockConfigurationError `INVALID_NAME`, `KIND_CONFLICT`, `UPGRADE`: never "busy", whatever `onBusy` is
   */
  enter(entry: Entry<A>, work: (handle: LockHandle) => unknown): Promise<unknown> {
    try {
      const { locks, names, signal } = entry;
      const { kind, waitTime = locks.settings.waitTime[this.guardKind], leaseTime, onLost } = this.options;
      const lock = locks.lockOf(names, kind);
      const granted = lock.lock({ waitTime, leaseTime, signal });
      return criticalSection(granted, work, onLost, (error) => this.#refuse(error, lock.name, entry));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #logOf(locks: LockService): RateLimitedLog {
    const log = this.#logs.get(locks) ?? new RateLimitedLog('debug');
    this.#logs.set(locks, log);
    return log;
  }

  #refuse(refusal: unknown, name: string, { locks, args, patternOf, answersItself }: Entry<A>): unknown {
    if (!(refusal instanceof LockNotAcquiredError)) throw refusal;
    const { onBusy = 'throw' } = this.options;
    const {
      waited,
      heldBy: { holder },
    } = refusal;
    if (onBusy === 'throw') {
      const pattern = patternOf();
      // An event has no answer: its sender gets no reply, and Nest does not log an error that a filter has caught.
      if (pattern === 'event')
        locks.engine.context.notices.post({ kind: 'event-refused', lock: name, where: this.where, holder });
      if (pattern !== undefined) markReported(refusal);
      throw refusal;
    }
    this.#logOf(locks).log(
      () => `${this.where} was not run: lock "${name}" is held by ${holder ?? 'another holder'}`,
    );
    if (onBusy === 'skip') {
      // The startup refuses it where it sees the guard. An interceptor that is bound by hand is seen here first.
      if (answersItself?.() === true) throw refusal;
      return undefined;
    }
    const context: BusyContext<A> = { name, args, waited, holder };
    return onBusy(context);
  }
}

function check<A extends readonly unknown[]>(
  { kind, waitTime, leaseTime, onBusy, onLost, service }: GuardOptions<A>,
  where: string,
): void {
  checkKind(kind, `kind of ${where}`);
  if (waitTime !== undefined) parseDuration(waitTime, { option: `waitTime of ${where}`, unbounded: true });
  if (leaseTime !== undefined)
    parseDuration(leaseTime, { option: `leaseTime of ${where}`, min: SHORTEST_LEASE });
  const given: Readonly<Record<string, readonly [unknown, readonly unknown[], string]>> = {
    onBusy: [
      typeof onBusy === 'function' ? undefined : onBusy,
      ['throw', 'skip'],
      '"throw", "skip" or a function',
    ],
    onLost: [onLost, ['signal', 'throw'], '"signal" or "throw"'],
  };
  for (const [option, [value, allowed, expected]] of Object.entries(given)) {
    if (value === undefined || allowed.includes(value)) continue;
    throw invalidOption(`${option} of ${where} must be ${expected}, not ${String(value)}.`);
  }
  if (service !== undefined && (typeof service !== 'string' || service === '')) {
    throw invalidOption(`service of ${where} must be the name of a module instance.`);
  }
}
