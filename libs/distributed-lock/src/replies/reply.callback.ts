import { RedisFailure } from '../redis/redis.failure.js';

/**
 * What became of an operation after its deadline: the reply that came late, or its failure. Never rejects. It is the `settled` promise of the
 * failure that its caller received, with the type of the reply.
 */
export type LateAnswer<T> = Promise<{ readonly reply: T } | RedisFailure>;

/** Receives the answer, or the error, of one operation as soon as it is known. Must not throw. */
export interface ReplyCallback<T> {
  /** When the operation was sent, on the monotonic clock, if the clock was read. Reading it takes as long as everything else done here. */
  readonly sentAt?: number | undefined;
  /** Whether the operation is outdated: then it is not sent any more. It fails instead, as one without a connection. */
  isOutdated?(): boolean;
  answered(reply: T): void;
  /** @param late given at the deadline of an operation that was sent */
  failed(error: unknown, late?: LateAnswer<T>): void;
}

/**
 * The answer to one operation, as a promise.
 * @param expect receives what may come after the deadline, before the promise rejects
 */
export function promised<T>(
  send: (callback: ReplyCallback<T>) => void,
  expect?: (late: LateAnswer<T>) => void,
): Promise<T> {
  return new Promise((answered, failed) => {
    if (expect === undefined) send({ answered, failed });
    else
      send({
        answered,
        failed: (error, late) => {
          if (late !== undefined) expect(late);
          failed(error);
        },
      });
  });
}

/** As {@link promised}, for an operation that no caller waits for: an answer after the deadline counts as well. */
export function promisedLate<T>(send: (callback: ReplyCallback<T>) => void): Promise<T> {
  return new Promise((answered, failed) =>
    send({
      answered,
      failed: (error, late) => {
        if (late === undefined) failed(error);
        else
          void late.then((answer) =>
            answer instanceof RedisFailure ? failed(answer) : answered(answer.reply),
          );
      },
    }),
  );
}
