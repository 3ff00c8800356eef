import type { InScope } from './hold.scope.js';

type Step = IteratorResult<unknown>;
type Method = 'next' | 'return' | 'throw';

/**
 * The same iterable, whose steps run in the scope of a hold, and which tells its end: it is done, failed or left.
 * @param over called at the end
 */
export function heldIterable(
  iterable: AsyncIterable<unknown>,
  inScope: InScope,
  over: () => void,
): AsyncIterable<unknown> {
  const held = new HeldIteration(iterable, inScope, over);
  if (Object.prototype.toString.call(iterable) === '[object AsyncGenerator]') return held;
  // A cursor, say, has methods of its own; they see the cursor itself.
  return new Proxy(iterable, {
    get: (target, name) => {
      if (name === Symbol.asyncIterator) return () => held;
      if ((name === 'next' || name === 'return' || name === 'throw') && name in target)
        return held[name].bind(held);
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

/** One iteration, begun with its first step. */
class HeldIteration implements AsyncIterableIterator<unknown> {
  readonly [Symbol.toStringTag] = 'AsyncGenerator';
  #iterator: AsyncIterator<unknown> | undefined;

  constructor(
    private readonly iterable: AsyncIterable<unknown>,
    private readonly inScope: InScope,
    private readonly over: () => void,
  ) {}

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

  /** @param missing what an iterator without that method does */
  async #step(method: Method, sent: readonly unknown[], missing: () => Step | Promise<Step>): Promise<Step> {
    try {
      const step = await this.inScope(async () => {
        const iterator = (this.#iterator ??= this.iterable[Symbol.asyncIterator]());
        const call = iterator[method];
        return call === undefined ? await missing() : await Reflect.apply(call, iterator, sent);
      });
      // A generator may go on in its `finally` after it was asked to return.
      if (step.done === true || (method === 'return' && step.done !== false)) this.over();
      return step;
    } catch (error) {
      this.over();
      throw error;
    }
  }
}
