import type { WarningListener } from '../client-port/connection.warning.js';
import { replicaRefusal } from '../client-port/server.role.js';
import { errorText } from '../errors/error.text.js';

/** What is demanded of a connection, beside its client's own options. */
export interface Demands {
  /** Whether the server must be a master: not in a cluster, whose map names the node. */
  readonly master: boolean;
  /** Whether the application itself demands RESP3, which version 6 of ioredis otherwise uses where the server has it. */
  readonly resp3: boolean;
}

/**
 * The connection is not as demanded. The reason does not stand in the message: ioredis goes on with a connection whose last check fails
 * with a message that has NOPERM in it.
 */
export class HandshakeMismatchError extends Error {
  constructor(
    /** The server's answer, and its meaning. */
    readonly why: string,
  ) {
    super('the connection does not match the redis options');
  }
}

type Method = (...values: readonly unknown[]) => Promise<unknown>;
type Callback = (error: unknown, reply?: unknown) => void;

/** A superfluous password: the connection has the default user then, as demanded. */
const NO_PASSWORD = /no password is set|without any password configured for the default user/;

/** A server without users: ioredis prints that, and goes on without a user. */
const NO_USERS = /wrong number of arguments for 'auth' command/;

/** The server has no RESP3, or no HELLO at all: version 6 of ioredis goes on by RESP2. */
const NO_RESP3 = /NOPROTO|unknown command.*hello/i;

/**
 * Reads the server's answers while ioredis makes a connection. After a refused SELECT ioredis goes on in database 0, and of some other
 * refusals it prints a warning of its own. INFO is the last command of the handshake: the check rejects it with the fault of the connection,
 * and ioredis then drops the connection and makes a new one after a pause.
 */
export class HandshakeCheck {
  /** The refusals, by the refused command. */
  readonly #refusals = new Map<string, string>();

  private constructor(
    private readonly demands: Demands,
    private readonly warn: WarningListener,
  ) {}

  /** To be called before the client connects. */
  static on(client: object, demands: Demands, warn: WarningListener): void {
    const check = new HandshakeCheck(demands, warn);
    replaceMethod(client, 'select', (select, words) => check.#select(select, words));
    replaceMethod(client, 'auth', (auth, words) => check.#auth(auth, words));
    replaceMethod(client, 'hello', (hello, words) => check.#hello(hello, words));
    // INFO with a section is a command of the library's own.
    replaceMethod(client, 'info', (info, words) => (words.length === 0 ? check.#info(info) : info(...words)));
    if ('on' in client && typeof client.on === 'function')
      client.on('connect', () => check.#refusals.clear());
  }

  async #select(select: Method, words: readonly unknown[]): Promise<unknown> {
    try {
      const reply = await select(...words);
      this.#refusals.delete('SELECT');
      return reply;
    } catch (error) {
      this.#refuse(error, 'SELECT', `SELECT ${String(words[0])}`, 'the connection would use database 0');
      throw error;
    }
  }

  /** The words are credentials: none of them may be in a message. */
  async #auth(auth: Method, words: readonly unknown[]): Promise<unknown> {
    try {
      const reply = await auth(...words);
      this.#refusals.delete('AUTH');
      return reply;
    } catch (error) {
      const why = errorText(error);
      if (NO_PASSWORD.test(why)) {
        this.warn('password-unneeded', why);
        return 'OK';
      }
      if (!NO_USERS.test(why)) throw error;
      this.#refuse(error, 'AUTH', 'AUTH', 'the connection would have another user');
      return 'OK';
    }
  }

  async #hello(hello: Method, words: readonly unknown[]): Promise<unknown> {
    try {
      return await hello(...words);
    } catch (error) {
      const why = errorText(error);
      if (!NO_RESP3.test(why)) throw error;
      if (!this.demands.resp3) this.warn('resp3-refused', why);
      else this.#refuse(error, 'HELLO', 'HELLO 3', 'set protocol: 2 in the redis options, or omit protocol');
      throw error;
    }
  }

  /** @throws HandshakeMismatchError for a connection that must not be used */
  async #info(info: Method): Promise<unknown> {
    const answer = await info().then(String, (error: unknown) => {
      const why = errorText(error);
      if (this.#refusals.size > 0) return '';
      if (!why.startsWith('NOPERM')) throw error;
      this.warn('server-unchecked', why);
      return '';
    });
    const wrongRole = this.demands.master ? replicaRefusal(answer) : undefined;
    const [refusal = wrongRole] = this.#refusals.values();
    if (refusal !== undefined) throw new HandshakeMismatchError(refusal);
    return answer;
  }

  #refuse(error: unknown, command: string, setting: string, otherwise: string): void {
    // A connection that broke has refused nothing.
    if (isReply(error))
      this.#refusals.set(command, `${setting} was refused (${errorText(error)}): ${otherwise}`);
  }
}

/**
 * Puts a method in front of a client's own one, on this client alone. ioredis calls its methods with a callback behind the words, or takes
 * their promise. A client without the method stays unchanged.
 */
export function replaceMethod(
  client: object,
  name: string,
  by: (original: Method, words: readonly unknown[]) => Promise<unknown>,
): void {
  const original: unknown = Reflect.get(client, name);
  if (typeof original !== 'function') return;
  const method: Method = (...words) => Promise.resolve(Reflect.apply(original, client, words));
  const value = (...values: readonly unknown[]): Promise<unknown> => {
    const last = values.at(-1);
    if (!isCallback(last)) return by(method, values);
    const answer = by(method, values.slice(0, -1));
    answer.then((reply) => last(null, reply), last);
    return answer;
  };
  Object.defineProperty(client, name, { value, configurable: true, writable: true });
}

function isCallback(value: unknown): value is Callback {
  return typeof value === 'function';
}

function isReply(error: unknown): boolean {
  return error instanceof Error && error.name === 'ReplyError';
}
