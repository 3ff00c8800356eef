/**
 * The limit of the language: who waits stands in a queue of the process, and nothing is asked of Redis.
 * @returns {Promise<import('../bench.types.js').Contestant<() => void>>}
 */
export async function open() {
  /** @type {Map<string, Promise<void>>} */
  const tails = new Map();
  return {
    acquire: async (name) => {
      const before = tails.get(name);
      /** @type {() => void} */
      let done = () => undefined;
      tails.set(name, new Promise((resolve) => (done = resolve)));
      await before;
      return done;
    },
    release: async (done) => done(),
    close: async () => undefined,
  };
}
