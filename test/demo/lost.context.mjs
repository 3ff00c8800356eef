/** As in a WebContainer: an AsyncLocalStorage whose context ends with the synchronous part of its callback. */
import asyncHooks from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';

/**
 * @template T
 * @extends {asyncHooks.AsyncLocalStorage<T>}
 */
class SynchronousStorage extends asyncHooks.AsyncLocalStorage {
  /** @type {T | undefined} */
  #store;

  /**
   * @override
   * @param {T | undefined} store
   * @param {(...args: any[]) => any} callback
   * @param {any[]} args
   */
  run(store, callback, ...args) {
    const before = this.#store;
    this.#store = store;
    try {
      return callback(...args);
    } finally {
      this.#store = before;
    }
  }

  /**
   * @override
   * @param {(...args: any[]) => any} callback
   * @param {any[]} args
   */
  exit(callback, ...args) {
    return this.run(undefined, callback, ...args);
  }

  /** @override */
  getStore() {
    return this.#store;
  }
}

asyncHooks.AsyncLocalStorage = SynchronousStorage;
syncBuiltinESMExports();
