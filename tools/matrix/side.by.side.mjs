/** Processes of checks that run at the same time: they mostly wait. */
const AT_ONCE = 3;

/**
 * Runs something for each of them, some at a time, in their order.
 * @template T
 * @param {readonly T[]} items
 * @param {(item: T) => Promise<void>} run
 */
export async function runSomeAtOnce(items, run) {
  const waiting = [...items];
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await run(next);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}
