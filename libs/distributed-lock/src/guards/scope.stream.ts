import {
  from,
  isObservable,
  Observable,
  Subject,
  takeUntil,
  type ObservableInput,
  type Subscriber,
} from 'rxjs';
import { lastingKindOf } from '../work/lasting.work.js';
import type { LockHandle } from '../contracts/lock.contract.js';
import type { InScope } from '../holds/hold.scope.js';
import { discardLasting } from '../work/discarded.result.js';
import { begun, holdLasting } from '../work/lasting.work.js';
import { machine } from '../timing/machine.js';

/** The result of a section in which the source ran, in contrast to an answer to a refusal. */
const RELAYED = Symbol('relayed');

/** Runs `work` under a lock, and settles after the lock was released; a refusal settles without running it. */
export type ScopeRunner = (
  work: (handle: LockHandle) => Promise<unknown>,
  left?: AbortSignal,
) => Promise<unknown>;

/**
 * Whether a source goes on after an unsubscribe, as a promise does. `unknown`: its first value shows it, for a promise completes with that.
 */
export type RunsOn = boolean | 'unknown';

/** The source of a stream that runs under a lock. */
export interface StreamSource {
  readonly source: () => ObservableInput<unknown>;
  /** @default shown by the result of `source` */
  readonly runsOn?: RunsOn;
}

/**
 * An Observable that acquires a lock when it is subscribed to, and holds it until `source` completes, fails or is unsubscribed from; a source
 * that goes on after an unsubscribe holds it until its own end. Each subscription acquires the lock anew. The end is emitted after the
 * release, so that the lock is free for its receiver; but a value that itself goes on, such as a stream, can be read by then, and holds the
 * lock until its own end.
 */
export function streamThrough(section: ScopeRunner, source: StreamSource): Observable<unknown> {
  return new Observable((subscriber) => {
    const left = new AbortController();
    section((handle) => new Relay(subscriber, handle).run(source), left.signal).then(
      (answer) => (answer === RELAYED ? subscriber.complete() : emitAnswer(answer, subscriber)),
      (error: unknown) => subscriber.error(error),
    );
    return () => left.abort();
  });
}

/** One subscription inside of its section. */
class Relay {
  readonly #left = new Subject<void>();
  /** The ends of the values that go on. */
  readonly #open: Promise<void>[] = [];
  #hasEmitted = false;
  #isLeft = false;

  constructor(
    private readonly subscriber: Subscriber<unknown>,
    private readonly handle: LockHandle,
  ) {}

  run({ source, runsOn }: StreamSource): Promise<symbol> {
    return new Promise((resolve, reject) => {
      const end = () => resolve(RELAYED);
      if (this.subscriber.closed) return end();
      const input = source();
      this.subscriber.add(() => this.#unsubscribed(runsOn ?? !isObservable(input)));
      from(input)
        .pipe(takeUntil(this.#left))
        .subscribe({
          next: (value) => this.#next(value, reject),
          error: reject,
          complete: () => this.#complete(end),
        });
    });
  }

  #unsubscribed(runsOn: RunsOn): void {
    this.#isLeft = true;
    if (runsOn === false || (runsOn === 'unknown' && this.#hasEmitted)) this.#leave();
  }

  /** The source's work on an unsubscribe still belongs to the section. */
  #leave(): void {
    if (this.#left.observed) this.handle.run(() => this.#left.next());
  }

  #next(value: unknown, fail: (error: unknown) => void): void {
    this.#hasEmitted = true;
    // A promise completes in this same turn, and an Observable without a subscriber is left.
    if (this.#isLeft) machine.global.queueMicrotask(() => this.#leave());
    const started = this.handle.run(() => begun(value));
    if (started instanceof Promise) {
      this.#open.push(started.then(ignore, ignore));
      return this.subscriber.next(started);
    }
    const kind = lastingKindOf(value);
    // An Observable of Observables is left to its subscriber.
    if (kind === undefined || (kind === 'observable' && isObservable(value)))
      return this.subscriber.next(value);
    const inScope: InScope = (step) => this.handle.run(step);
    try {
      const discarded = this.#isLeft ? discardLasting(kind, value, inScope) : undefined;
      if (discarded !== undefined) return void this.#open.push(discarded);
      const { result, ended } = holdLasting(kind, value, inScope);
      this.#open.push(ended);
      this.subscriber.next(result);
    } catch (error) {
      fail(error);
      this.#leave();
    }
  }

  #complete(end: () => void): void {
    if (this.#open.length === 0) return end();
    this.subscriber.complete();
    void Promise.all(this.#open).then(end);
  }
}

function ignore(): void {}

/** Emits the result of `onBusy`: one value, or the values of an Observable. */
function emitAnswer(answer: unknown, subscriber: Subscriber<unknown>): void {
  if (isObservable(answer)) {
    answer.subscribe(subscriber);
    return;
  }
  subscriber.next(answer);
  subscriber.complete();
}
