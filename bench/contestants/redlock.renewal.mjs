/** The part of redlock 5 and its fork that renews: work in a callback. */
/** @typedef {{ using(resources: string[], duration: number, routine: () => Promise<void>): Promise<void> }} Using */

/**
 * Keeps a lock alive until it is released, by work that does nothing else than to wait for that.
 * @param {Using} redlock
 * @param {number} lease in ms
 * @returns {(name: string) => Promise<{ release(): Promise<void> }>}
 */
export function renewedBy(redlock, lease) {
  return (name) =>
    new Promise((resolve, reject) => {
      const ended = redlock.using([name], lease, () => {
        return new Promise((release) => {
          resolve({
            release: () => {
              release();
              return ended;
            },
          });
        });
      });
      ended.catch(reject);
    });
}
