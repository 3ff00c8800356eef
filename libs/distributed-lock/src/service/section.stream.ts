import {
  from,
  isObservable,
  Observable,
  Subject,
  takeUntil,
  type ObservableInput,
  type Subscriber,
} from 'rxjs';
import type { LockHandle } from '../contracts/lock.contract.js';

/** What a section gives when the source ran in it, and not an answer to a refusal. */
const RELAYED = Symbol('relayed');

/** Runs `work` under a lock, and settles after the lock was released; a refusal settles without running it. */
export type Section = (
  work: (handle: LockHandle) => Promise<unknown>,
  left?: AbortSignal,
) => Promise<unknown>;

/**
 * An Observable that takes a lock when it is subscribed to, and holds it until `source` completes, fails or is
 * unsubscribed from. Each subscription takes it anew. The end is told after the release, so that who hears of it
 * finds the lock free.
 * @param runsOn whether the source's work goes on after an unsubscribe, as a promise's does; the lock is held until it ends
 */
export function streamThrough(
  section: Section,
  source: () => ObservableInput<unknown>,
  runsOn = false,
): Observable<unknown> {
  return new Observable((subscriber) => {
    const left = new AbortController();
    section((handle) => relay(source, subscriber, handle, runsOn), left.signal).then(
      (answer) => (answer === RELAYED ? subscriber.complete() : tell(answer, subscriber)),
      (error: unknown) => subscriber.error(error),
    );
    return () => left.abort();
  });
}

function relay(
  source: () => ObservableInput<unknown>,
  subscriber: Subscriber<unknown>,
  handle: LockHandle,
  runsOn: boolean,
): Promise<symbol> {
  return new Promise((resolve, reject) => {
    const end = () => resolve(RELAYED);
    if (subscriber.closed) return end();
    const left = new Subject<void>();
    // What the source does when it is left still belongs to the section.
    if (!runsOn) subscriber.add(() => left.observed && handle.run(() => left.next()));
    from(source())
      .pipe(takeUntil(left))
      .subscribe({ next: (value) => subscriber.next(value), error: reject, complete: end });
  });
}

/** What `onBusy` gave: one value, or the values of an Observable. */
function tell(answer: unknown, subscriber: Subscriber<unknown>): void {
  if (isObservable(answer)) {
    answer.subscribe(subscriber);
    return;
  }
  subscriber.next(answer);
  subscriber.complete();
}
