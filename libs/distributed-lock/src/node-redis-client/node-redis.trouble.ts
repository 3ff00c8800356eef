import type { ConnectionTrouble } from '../client-port/connection.trouble.js';
import { errorText } from '../errors/error.text.js';
import { isReply } from './reply.failure.js';

/** The server does not accept the user of the options, or does not permit what the library needs. */
const NOT_THIS_USER = /\b(?:NOAUTH|WRONGPASS|NOPERM)\b/;

/** What a server answers to a handshake by RESP3 that it does not have. */
const NO_RESP3 = /NOPROTO|unknown command.*hello/i;

/** What a server answers to SELECT with a database that it does not have. */
const NO_DATABASE = /DB index is out of range|SELECT is not allowed/;

/** The messages of the client that name no reason. */
const WITHOUT_REASON = /^(?:Disconnects client|The client is (?:closed|offline)|The operation was aborted)/;

/** The connection is not as demanded. */
export class MismatchError extends Error {}

/** Why a client of the `redis` package has no connection. */
export class NodeRedisTrouble implements ConnectionTrouble {
  #why = '';
  #isRefusal = false;
  #isMismatch = false;

  get why(): string {
    return this.#why;
  }

  get isRefusal(): boolean {
    return this.#isRefusal;
  }

  get isMismatch(): boolean {
    return this.#isMismatch;
  }

  record(error: unknown): void {
    const why = whyOf(error);
    if (WITHOUT_REASON.test(why)) return;
    this.#why = why;
    this.#isMismatch =
      error instanceof MismatchError || (isReply(error) && (NO_RESP3.test(why) || NO_DATABASE.test(why)));
    this.#isRefusal = this.#isMismatch || NOT_THIS_USER.test(why);
  }

  clear(): void {
    this.#why = '';
    this.#isRefusal = false;
    this.#isMismatch = false;
  }
}

/** The reason that an error of a client has; no error of the `redis` package has arguments of a command. */
export function whyOf(error: unknown): string {
  // A name with several addresses gives one error for all of them, without a message of its own.
  if (error instanceof AggregateError && error.message === '')
    return [...new Set(error.errors.map((one: unknown) => errorText(one)))].join('; ');
  const text = errorText(error);
  if (isReply(error) && NO_RESP3.test(text))
    return `HELLO 3 was refused (${text}): set RESP: 2 in the options of the client`;
  if (isReply(error) && NO_DATABASE.test(text))
    return `SELECT was refused (${text}): correct the database in the options of the client`;
  return text;
}
