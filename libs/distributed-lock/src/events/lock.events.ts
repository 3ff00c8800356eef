import { LockConfigurationError } from '../errors/lock.errors.js';
import { checkCallbackNames, optionNames } from '../options/option.checks.js';
import type { LockEventMap, LockListener } from './lock.event.types.js';
import { showAs } from '../objects/object.form.js';

/** A listener that also wraps the work of a critical section, to run it in its own context. */
export interface SectionListener extends LockListener {
  /**
   * Runs `work` once. The result or error of `work` is not passed on.
   * @param acquisition the same object as in the events of the section
   */
  around?(acquisition: object, work: () => unknown): void;
}

/** Publishes the events of a module instance to its listeners. */
export class LockEvents {
  static {
    showAs(LockEvents, () => ({ type: 'LockEvents' }));
  }

  /** @internal Whether there are listeners: checked before anything is made for an event. */
  hasListeners = false;
  #listeners: readonly SectionListener[] = [];
  readonly #failed: (event: string, error: unknown) => void;

  /** @internal @param failed receives the error that a listener threw */
  constructor(failed: (event: string, error: unknown) => void) {
    this.#failed = failed;
  }

  /**
   * Adds a listener. An acquisition that started while there was no listener emits no events, not even to a
   * listener that is added later.
   * @param listener one method for each event of interest
   * @returns a function that removes the listener; safe to call twice
   * @throws LockConfigurationError `INVALID_OPTION` for an unknown event, and for a callback that is not a
   * function
   */
  listen(listener: LockListener): () => void {
    checkListener(listener);
    this.#set([...this.#listeners, listener]);
    let isListening = true;
    return () => {
      if (isListening) this.#set(this.#listeners.toSpliced(this.#listeners.indexOf(listener), 1));
      isListening = false;
    };
  }

  /** @internal The caller has checked {@link hasListeners}. */
  emit<Name extends keyof LockEventMap>(name: Name, event: LockEventMap[Name]): void {
    const listeners: readonly LockListener[] = this.#listeners;
    for (const listener of listeners) {
      try {
        const result = listener[name]?.(event);
        if (isThenable(result)) result.then(undefined, (error: unknown) => this.#failed(name, error));
      } catch (error) {
        this.#failed(name, error);
      }
    }
  }

  /** @internal Runs the work of a section within every listener that has a context for it. The work's own result or error stands. */
  around<T>(acquisition: object, work: () => T): T {
    return this.#listeners.reduce<() => T>(
      (inner, listener) => () => this.#within(listener, acquisition, inner),
      work,
    )();
  }

  #within<T>(listener: SectionListener, acquisition: object, work: () => T): T {
    if (listener.around === undefined) return work();
    let settled: (() => T) | undefined;
    const once = () => {
      settled ??= settle(work);
      return settled();
    };
    try {
      listener.around(acquisition, once);
    } catch (error) {
      if (!threw(settled, error)) this.#failed('around', error);
    }
    return once();
  }

  #set(listeners: readonly SectionListener[]): void {
    this.#listeners = listeners;
    this.hasListeners = listeners.length > 0;
  }
}

const EVENTS = optionNames<SectionListener>({
  attempt: true,
  waiting: true,
  acquired: true,
  refused: true,
  failed: true,
  released: true,
  lost: true,
  renewed: true,
  unknown: true,
  tickClaimed: true,
  tickFinished: true,
  tickSkipped: true,
  tickMissed: true,
  tickCrashed: true,
  tickAbandoned: true,
  operatorAction: true,
  tickUnclaimed: true,
  around: true,
});

function checkListener(listener: SectionListener): void {
  checkCallbackNames(listener, EVENTS, 'of listen()');
  const callbacks: Readonly<Record<string, unknown>> = { ...listener };
  for (const [name, callback] of Object.entries(callbacks)) {
    if (EVENTS.has(name) && callback !== undefined && typeof callback !== 'function')
      throw new LockConfigurationError('INVALID_OPTION', `${name} of listen() must be a function.`);
  }
}

/** Runs the work. @returns a function that returns the work's result, or throws its error, as often as it is called */
function settle<T>(work: () => T): () => T {
  try {
    const result = work();
    return () => result;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/** Whether it is the work's own error. */
function threw(settled: (() => unknown) | undefined, error: unknown): boolean {
  try {
    settled?.();
    return false;
  } catch (own) {
    return own === error;
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
