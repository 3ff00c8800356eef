import type { ScriptPort } from './script.command.js';

/**
 * What the library needs of a Redis client: the contract of every adapter. `test/client-port/` checks an adapter against it.
 *
 * **Commands.** A command is written at most once, and only on a connection that is ready. A client never queues a command for a later
 * connection, and never writes it again: the promise of a command that was not written rejects with a `RedisFailure` of the kind `unsent`.
 * When its connection breaks before the answer came, the promise rejects with one of the kind `ambiguous`; an error reply is `refused`. A
 * client that rejects with errors of its own has them in `RedisFailure.from()`. Deadlines are the library's: a client never rejects a
 * command because of the time that it takes.
 *
 * **Replies** are the same by RESP2 and RESP3, and have no types of the client: texts, numbers, null, and arrays of these.
 *
 * **Subscriptions** end with their connection. The client reports this by `close`, and does not subscribe again by itself.
 *
 * **Connections.** The client makes a connection again after each loss, with a short pause, until {@link ClientPort.disconnect}. It reports
 * each change by an event, after the change of {@link ClientPort.status}.
 *
 * The names are those that clients of ioredis have, so that a command of ioredis needs no layer between the library and its client.
 */
export interface ClientPort extends ScriptPort {
  /**
   * `wait`: not asked to connect yet. `connecting`; `connect`: the connection is open, and its handshake is under way; `ready`: commands can
   * be sent; `close`: the connection is away; `reconnecting`: it will be made again; `end`: it will not, until {@link ClientPort.connect}.
   */
  readonly status: string;
  /** Starts connecting, from the status `wait` or `end`. The attempts go on, whatever the promise of the first one says. */
  connect(): Promise<unknown>;
  /** Closes the connection; commands that have no answer by then are rejected. @param reconnect whether to make it again @default false */
  disconnect(reconnect?: boolean): void;
  subscribe(...channels: string[]): Promise<unknown>;
  unsubscribe(...channels: string[]): Promise<unknown>;
  /** The same for sharded channels, all of one slot. */
  ssubscribe(...channels: string[]): Promise<unknown>;
  sunsubscribe(...channels: string[]): Promise<unknown>;
  pubsub(subcommand: 'SHARDNUMSUB'): Promise<unknown>;
  ping(): Promise<unknown>;
  info(section: string): Promise<unknown>;
  /**
   * `ready`: commands can be sent. `connect`: the connection is open. `close`: the connection is away, or an attempt has failed. `end`: the
   * client has given up, or was closed. `error`: why an attempt, or a connection, has failed. `message` and `smessage`: a channel, and the
   * message on it. `moved`: the server does not serve a sharded channel any more.
   */
  on(event: string, listener: (...values: string[]) => void): unknown;
  once(event: string, listener: () => void): unknown;
}

/** The client of one server, be it alone, a master that sentinels name, or a node of a cluster. */
export interface NodePort extends ClientPort {
  /** Waits until replicas have acknowledged the writes of this connection. @param timeout in ms */
  wait(replicas: number, timeout: number): Promise<unknown>;
  /** Permits the next command of this connection to use a slot that is on its way to the node. */
  asking(): Promise<unknown>;
  /** Sends any command. */
  call(command: string, ...args: string[]): Promise<unknown>;
  /** The socket, where the client shows it: to write several commands at once, and to reset a connection that is given up. */
  readonly stream?: unknown;
}
