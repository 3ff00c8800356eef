/** What came of a call, and when it began and was answered: epoch ms, by the process that made it. */
export interface Timed<T> {
  readonly value: T;
  readonly from: number;
  readonly at: number;
}

const now = () => performance.timeOrigin + performance.now();

/** Makes a call, and keeps its times. It may fail long before anybody awaits it. */
export function timed<T>(call: () => Promise<T>): Promise<Timed<T>> {
  const from = now();
  const answer = call().then((value) => ({ value, from, at: now() }));
  answer.catch(() => undefined);
  return answer;
}
