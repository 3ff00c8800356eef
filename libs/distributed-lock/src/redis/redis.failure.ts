import { errorText } from '../errors/error.text.js';
/**
 * The state of a command that did not give a reply.
 * `unsent`: it never left this process. `ambiguous`: it may have run, may be running, or may run yet.
 * `refused`: Redis answered with an error, so the command did nothing.
 */
export type FailureKind = 'unsent' | 'ambiguous' | 'refused';

/** The code of a failure that is not an error of Redis: too few replicas have received what was written. */
export const NOT_REPLICATED = 'NOT_REPLICATED';

/** The error replies that send a command to another node of a cluster. */
const REDIRECTIONS: ReadonlySet<string> = new Set(['ASK', 'MOVED']);

/** Transient error replies: a caller that waits for a lock may go on waiting. */
const PASSING = new Set([
  'LOADING',
  'READONLY',
  'BUSY',
  'TRYAGAIN',
  'CLUSTERDOWN',
  'MASTERDOWN',
  'OOM',
  'MISCONF',
  'NOREPLICAS',
  'UNBLOCKED',
  ...REDIRECTIONS,
]);

/** What a {@link RedisFailure} can have beside its kind and its message. */
interface FailureDetails extends ErrorOptions {
  readonly code?: string | undefined;
  /** @default settled */
  readonly settled?: Promise<unknown>;
  /** Whether no later attempt has another result, whatever the code says. @default false */
  readonly isFinal?: boolean;
}

/** Redis could not be reached, or refused the command. The only error that leaves this storey. */
export class RedisFailure extends Error {
  override readonly name = 'RedisFailure';

  /** The first word of an error reply: `NOSCRIPT`, `WRONGTYPE`, … */
  readonly code: string | undefined;
  /** Settles once the command can have no effect any more, by the knowledge of its connection. */
  readonly settled: Promise<unknown>;
  /** Whether no later attempt has another result, whatever the code says. */
  readonly isFinal: boolean;

  constructor(
    readonly kind: FailureKind,
    message: string,
    { code, settled = Promise.resolve(), isFinal = false, ...options }: FailureDetails = {},
  ) {
    super(message, options);
    this.code = code;
    this.isFinal = isFinal;
    this.settled = settled;
  }

  /** Whether the command ran, and too few replicas have its result: the result must not count, and has to be undone. */
  get isNotReplicated(): boolean {
    return this.code === NOT_REPLICATED;
  }

  /** Whether a later attempt makes sense. */
  get isTransient(): boolean {
    if (this.isFinal) return false;
    return this.kind !== 'refused' || (this.code !== undefined && PASSING.has(this.code));
  }

  /** Whether another node of a cluster is to be asked. */
  get isRedirection(): boolean {
    return this.code !== undefined && REDIRECTIONS.has(this.code);
  }

  /** The same failure, for a caller that no later attempt helps. */
  asFinal(): RedisFailure {
    const { kind, message, code, cause } = this;
    return new RedisFailure(kind, message, { code, cause, isFinal: true });
  }

  /** Maps a rejection of a client. An error reply has a name of its own; any other error is one of the connection. */
  static from(error: unknown): RedisFailure {
    if (error instanceof RedisFailure) return error;
    const message = errorText(error);
    if (error instanceof Error && error.name === 'ReplyError') {
      // ioredis keeps the command on the error: a whole script, or the password of a handshake.
      Reflect.deleteProperty(error, 'command');
      return new RedisFailure('refused', message, { code: /^[A-Z]+/.exec(message)?.[0], cause: error });
    }
    const options = { cause: error };
    // These messages name options of ioredis that the library has set: they would mislead a reader.
    if (message.includes('enableOfflineQueue options is false'))
      return new RedisFailure('unsent', 'there is no connection', options);
    const broke = /max retries per request|^Connection is closed/.test(message);
    const text = broke ? 'the connection broke before the answer came' : message;
    return new RedisFailure('ambiguous', text, options);
  }
}
