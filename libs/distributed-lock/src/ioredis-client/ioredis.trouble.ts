import type { ConnectionTrouble } from '../client-port/connection.trouble.js';
import { isObject } from '../objects/prototype.chain.js';
import { errorText } from '../errors/error.text.js';
import { HandshakeMismatchError } from './handshake.check.js';

/** The messages of ioredis when it rejects what waits for a connection: the reason came before. */
const WITHOUT_REASON =
  /^(?:Connection is closed\.|None of startup nodes is available|Connection is (?:aborted|discarded).*)$/;

/** The server does not accept the user of the options, or does not permit what the library needs. */
const NOT_THIS_USER = /^(?:NOAUTH|WRONGPASS|NOPERM)\b/;

/** The message of ioredis after the last of the sentinels has failed. */
const NO_SENTINEL = /^All sentinels are unreachable/;

/** A sentinel that answers, and knows no master of that name. */
const NO_MASTER = /^connected to sentinel (\S+) successfully, but got an invalid reply: null$/;

/** A sentinel that cannot be reached. */
const NOT_CONNECTED = /^failed to connect to sentinel (\S+) because (.*)$/;

/** Why a client has no connection, as ioredis reports it: by its events `error`, `node error` and `sentinelError`, and by its rejections. */
export class IoredisTrouble implements ConnectionTrouble {
  /** The errors of sentinels since the last request to all of them. */
  #sentinels: string[] = [];
  readonly #nodes = new Map<string, string>();
  /** The node of a cluster that an error came from. */
  readonly #origins = new WeakMap<object, string>();
  #why = '';
  #isRefusal = false;
  #isMismatch = false;

  /** The reason; an empty text while none is known. */
  get why(): string {
    if (this.#why !== '') return this.#why;
    // ioredis tries one node after the other, which may take longer than any caller waits for all of them.
    const [[node, why] = ['', '']] = this.#nodes;
    return why === '' ? '' : `${node}: ${why}`;
  }

  /** Whether a server can be reached, and refuses the user, or provides {@link isMismatch | another connection} than demanded. */
  get isRefusal(): boolean {
    return this.#isRefusal;
  }

  /** Whether there was a connection, and it was not the demanded one. */
  get isMismatch(): boolean {
    return this.#isMismatch;
  }

  /** The last error of a node of a cluster, by its address. */
  ofNode(node: string): string | undefined {
    return this.#nodes.get(node);
  }

  /** To be called when there is a connection. */
  clear(): void {
    this.#why = '';
    this.#sentinels = [];
    this.#isRefusal = false;
    this.#isMismatch = false;
    this.#nodes.clear();
  }

  /** To be called when the connection to one node of a cluster is there. */
  clearNode(node: string): void {
    this.#nodes.delete(node);
  }

  /** Records the error of the client's `error` event, or of a rejection. */
  record(error: unknown): void {
    const text = textOf(error);
    // A refused SELECT is part of a longer sentence, which comes with the last answer of the handshake.
    if (WITHOUT_REASON.test(text) || isOfSelect(error)) return;
    const node = isObject(error) && 'lastNodeError' in error ? error.lastNodeError : undefined;
    this.#isMismatch = (node ?? error) instanceof HandshakeMismatchError;
    this.#isRefusal = this.#isMismatch || NOT_THIS_USER.test(errorText(node ?? error));
    this.#why = this.#ofSentinels(text) ?? (isObject(node) ? this.#withOrigin(node) : text);
  }

  /** Records the error of a cluster's event `node error`, or of a connection to the node. */
  recordNode(error: unknown, node: string): void {
    const text = textOf(error);
    if (isObject(error)) this.#origins.set(error, node);
    if (!WITHOUT_REASON.test(text) || !this.#nodes.has(node)) this.#nodes.set(node, text);
  }

  /** Records the error of the event `sentinelError`. */
  recordSentinel(error: unknown): void {
    const text = textOf(error);
    const [, address, why = ''] = NOT_CONNECTED.exec(text) ?? [];
    const known = address === undefined ? undefined : this.#nodes.get(address);
    const [, sentinel] = NO_MASTER.exec(text) ?? [];
    if (sentinel !== undefined) this.#sentinels.push(`the sentinel ${sentinel} knows no master of that name`);
    else if (known !== undefined && WITHOUT_REASON.test(why)) this.#sentinels.push(`${address}: ${known}`);
    else this.#sentinels.push(address === undefined ? text : `${address}: ${why}`);
  }

  #ofSentinels(text: string): string | undefined {
    if (!NO_SENTINEL.test(text) || this.#sentinels.length === 0) return undefined;
    return `no sentinel knows the master: ${[...new Set(this.#sentinels.splice(0))].join('; ')}`;
  }

  #withOrigin(error: object): string {
    const node = this.#origins.get(error);
    return node === undefined ? textOf(error) : `${node}: ${this.#nodes.get(node) ?? textOf(error)}`;
  }
}

/** Only the message of an error: an error reply of ioredis carries its command's arguments, a password among them. */
function textOf(error: unknown): string {
  if (error instanceof HandshakeMismatchError) return error.why;
  const text = errorText(error);
  // The message for the time that ioredis gives to CLUSTER SLOTS.
  if (text === 'timeout') return 'no answer to CLUSTER SLOTS in time';
  // A name with several addresses gives one error for all of them, without a message of its own.
  if (error instanceof AggregateError && error.message === '')
    return [...new Set(error.errors.map((one: unknown) => errorText(one)))].join('; ');
  return text;
}

function isOfSelect(error: unknown): boolean {
  const command = isObject(error) && 'command' in error ? error.command : undefined;
  return isObject(command) && 'name' in command && command.name === 'select';
}
