import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

type Method = (this: object, ...args: unknown[]) => unknown;

/** Makes a decorator of a function that stands around a method, as instrumentation, queues and filters do. */
export function around(stand: (method: Method) => Method): MethodDecorator {
  return (_target, _key, descriptor: PropertyDescriptor) => {
    const { value }: { readonly value?: Method } = descriptor;
    if (value !== undefined) descriptor.value = stand(value);
  };
}

/** Runs in the context of whoever made it, as a pool's worker does. */
const outside = AsyncLocalStorage.snapshot();

/** One task at a time, each in the context of the queue and not of the caller. */
class LosingQueue {
  #last: Promise<unknown> = Promise.resolve();

  add(task: () => unknown): Promise<unknown> {
    const run = outside(() => this.#last.then(async () => await sleep(30)).then(task));
    this.#last = run.catch(() => undefined);
    return run;
  }
}

/** Ways in which a call of the scheduler reaches the guard, by what stands around it. */
export const DISGUISES = {
  nothing: around((method) => method),
  'another function': around(
    (method) =>
      async function (...args) {
        return await Reflect.apply(method, this, args);
      },
  ),
  'a pause that keeps the context': around(
    (method) =>
      async function (...args) {
        await sleep(20);
        return await Reflect.apply(method, this, args);
      },
  ),
  'a snapshot of another context': around(
    (method) =>
      async function (...args) {
        return await outside(() => Reflect.apply(method, this, args));
      },
  ),
  'a queue that loses the context': around((method) => {
    const queue = new LosingQueue();
    return async function (...args) {
      return await queue.add(() => Reflect.apply(method, this, args));
    };
  }),
  'a queue that is not waited for': around((method) => {
    const queue = new LosingQueue();
    return async function (...args) {
      void queue.add(() => Reflect.apply(method, this, args));
    };
  }),
  'another this': around(
    (method) =>
      async function (...args) {
        return await Reflect.apply(method, Object.create(this), args);
      },
  ),
  'a Proxy for this, in another context': around(
    (method) =>
      async function (...args) {
        return await outside(() => Reflect.apply(method, new Proxy(this, {}), args));
      },
  ),
  'a timer that is not waited for': around(
    (method) =>
      async function (...args) {
        setTimeout(() => void Reflect.apply(method, this, args), 20);
      },
  ),
} satisfies Readonly<Record<string, MethodDecorator>>;

export type Disguise = keyof typeof DISGUISES;
