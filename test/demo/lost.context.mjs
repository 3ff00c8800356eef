/** As in a WebContainer: the context of an AsyncLocalStorage ends with the synchronous part of its callback. */
import { AsyncLocalStorage } from 'node:async_hooks';

/** @type {WeakMap<AsyncLocalStorage<unknown>, unknown>} */
const stores = new WeakMap();

/** @typedef {(...args: unknown[]) => unknown} Callback */

Object.assign(AsyncLocalStorage.prototype, {
  /**
   * @this {AsyncLocalStorage<unknown>}
   * @param {unknown} store
   * @param {Callback} callback
   * @param {unknown[]} args
   */
  run(store, callback, ...args) {
    const before = stores.get(this);
    stores.set(this, store);
    try {
      return callback(...args);
    } finally {
      stores.set(this, before);
    }
  },

  /**
   * @this {AsyncLocalStorage<unknown>}
   * @param {Callback} callback
   * @param {unknown[]} args
   */
  exit(callback, ...args) {
    return this.run(undefined, callback, ...args);
  },

  /** @this {AsyncLocalStorage<unknown>} */
  getStore() {
    return stores.get(this);
  },
});
