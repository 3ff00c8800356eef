/**
 * Waits until the answers so far allow a decision, whatever the pending ones will be.
 * @param judge what the answers, and the number of failures, mean; undefined while that is undecided
 * @returns the decision; rejects with the first error when it is still undecided after the last answer
 */
export function decide<T, R>(
  requests: readonly Promise<T>[],
  judge: (answers: readonly T[], failures: number) => R | undefined,
): Promise<R> {
  const answers: T[] = [];
  const failures: unknown[] = [];
  return new Promise((resolve, reject) => {
    const check = () => {
      const verdict = judge(answers, failures.length);
      if (verdict !== undefined) resolve(verdict);
      else if (answers.length + failures.length === requests.length) reject(failures[0]);
    };
    for (const each of requests) {
      each.then(
        (answer) => {
          answers.push(answer);
          check();
        },
        (error: unknown) => {
          failures.push(error);
          check();
        },
      );
    }
  });
}
