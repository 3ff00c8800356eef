import { LockConfigurationError } from '../errors/lock.errors.js';
import type { InScope } from '../holds/hold.scope.js';
import { GRACE } from './held.stream.js';
import { machine } from '../timing/machine.js';

type Step = IteratorResult<unknown>;
type Method = 'next' | 'return' | 'throw';

/**
 * The same iterable, with its steps in the scope of a hold, and with a report of its end: done, failed or left.
 * @param onOver called at the end
 */
export function heldIterable(
  iterable: AsyncIterable<unknown>,
  inScope: InScope,
  onOver: () => void,
): AsyncIterable<unknown> {
  if (isAsyncGenerator(iterable)) return heldGenerator(iterable, inScope, onOver);
  const held = new HeldIteration(iterable, inScope, onOver);
  // A page of results, or a cursor that is read in another way, may never be iterated, and must not hold the lock for ever.
  held.expectBegin();
  // The iterable has methods of its own, which need the object itself as `this`.
  return new Proxy(iterable, {
    get: (target, name) => {
      const descriptor = Reflect.getOwnPropertyDescriptor(target, name);
      // A Proxy has to return these properties unchanged.
      if (name === 'constructor' || descriptor?.configurable === false)
        return Reflect.get(target, name, target);
      if (name === Symbol.asyncIterator) return () => held;
      if ((name === 'next' || name === 'return' || name === 'throw') && name in target)
        return held[name].bind(held);
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

export function isAsyncGenerator(value: unknown): value is AsyncGenerator {
  if (Object.prototype.toString.call(value) !== '[object AsyncGenerator]') return false;
  const members: Readonly<Record<string, unknown>> = Object(value);
  return ['next', 'return', 'throw'].every((name) => typeof members[name] === 'function');
}

/** The generator itself, with other steps: a framework that has kept it may call `return()` although no iteration has begun. */
function heldGenerator(
  generator: AsyncGenerator,
  inScope: InScope,
  onOver: () => void,
): AsyncIterable<unknown> {
  const steps: AsyncIterator<unknown> = {
    next: generator.next.bind(generator),
    return: generator.return.bind(generator),
    throw: generator.throw.bind(generator),
  };
  const held = new HeldIteration({ [Symbol.asyncIterator]: () => steps }, inScope, onOver);
  for (const name of ['next', 'return', 'throw', Symbol.asyncDispose] as const) {
    const value = held[name].bind(held);
    const isDefined = Reflect.defineProperty(generator, name, { value, configurable: true, writable: true });
    // A frozen one.
    if (!isDefined) return held;
  }
  return generator;
}

/** One iteration, begun with its first step. */
class HeldIteration implements AsyncIterableIterator<unknown> {
  readonly [Symbol.toStringTag] = 'AsyncGenerator';
  #iterator: AsyncIterator<unknown> | undefined;
  #grace: NodeJS.Timeout | undefined;
  #isLapsed = false;

  constructor(
    private readonly iterable: AsyncIterable<unknown>,
    private readonly inScope: InScope,
    private readonly onOver: () => void,
  ) {}

  /** Ends the hold unless the iteration begins in time; after that it is refused. */
  expectBegin(): void {
    this.#grace = machine.global
      .setTimeout(() => {
        this.#isLapsed = true;
        this.onOver();
      }, GRACE)
      .unref();
  }

  next(...sent: readonly unknown[]): Promise<Step> {
    return this.#step('next', sent, () => ({ done: true, value: undefined }));
  }

  return(value?: unknown): Promise<Step> {
    return this.#step('return', [value], () => ({ done: true, value }));
  }

  throw(error?: unknown): Promise<Step> {
    return this.#step('throw', [error], () => Promise.reject(error));
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  /** @param missing the result of an iterator without that method */
  async #step(method: Method, sent: readonly unknown[], missing: () => Step | Promise<Step>): Promise<Step> {
    clearTimeout(this.#grace);
    if (this.#isLapsed) throw tooLate();
    try {
      const step = await this.inScope(async () => {
        const iterator = (this.#iterator ??= this.iterable[Symbol.asyncIterator]());
        const call = iterator[method];
        return call === undefined ? await missing() : await Reflect.apply(call, iterator, sent);
      });
      // A generator may go on in its `finally` after a call of `return`.
      if (step.done === true || (method === 'return' && step.done !== false)) this.onOver();
      return step;
    } catch (error) {
      this.onOver();
      throw error;
    }
  }
}

function tooLate(): LockConfigurationError {
  return notAsync(
    `The iteration of the result began more than ${GRACE} ms after the work had ended: its lock is already released.`,
    'Iterate inside the work, or at once.',
  );
}

/** The error for a result that cannot be returned as it is. */
export function notAsync(message: string, remedy: string): LockConfigurationError {
  return new LockConfigurationError('NOT_ASYNC', message, undefined, undefined, remedy);
}
