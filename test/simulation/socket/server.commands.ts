import { fromBytes } from '../../../libs/distributed-lock/src/memory/memory.scripts.js';
import type { ScriptCommand } from '../../../libs/distributed-lock/src/client-port/script.command.js';
import { errorOf, mapOf, OK, pushOf, replyOf, type Protocol } from './resp.text.js';
import type { ServerFront } from './server.front.js';

/** The client of one connection, as its commands find it. */
export interface ServerClient {
  readonly front: ServerFront;
  protocol: Protocol;
  isAuthenticated: boolean;
  /** As CLIENT SETNAME has set it. */
  name: string;
  readonly channels: ReadonlySet<string>;
  subscribe(channel: string): void;
  unsubscribe(channel: string): void;
}

/** @returns the reply in bytes */
type ServerCommand = (client: ServerClient, args: readonly string[]) => string;

const NO_AUTH = 'NOAUTH Authentication required.';
const WRONG_PASSWORD = 'WRONGPASS invalid username-password pair or user is disabled.';

/** Allowed before AUTH. */
const OPEN = new Set(['HELLO', 'AUTH']);

/** Allowed while the server reads its data. */
const WHILE_LOADING = new Set(['HELLO', 'AUTH', 'CLIENT', 'INFO', 'SELECT', 'SUBSCRIBE', 'UNSUBSCRIBE']);

/** Allowed on a connection of version 2 that subscribes. */
const SUBSCRIBED = new Set(['SUBSCRIBE', 'UNSUBSCRIBE', 'PING']);

/** Why the server runs a command of this connection not at all. */
export function whyRefused(client: ServerClient, verb: string): string | undefined {
  if (!client.isAuthenticated && !OPEN.has(verb)) return NO_AUTH;
  if (client.front.isLoading && !WHILE_LOADING.has(verb))
    return 'LOADING Redis is loading the dataset in memory';
  if (client.protocol === 2 && client.channels.size > 0 && !SUBSCRIBED.has(verb))
    return `ERR Can't execute '${verb.toLowerCase()}': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context`;
  return undefined;
}

/** What ioredis and the library send. Words are bytes. */
export const COMMANDS: Readonly<Record<string, ServerCommand>> = {
  HELLO: (client, [version, ...options]) => {
    if (version !== '2' && version !== '3') return errorOf('NOPROTO unsupported protocol version');
    const auth = options.findIndex((option) => option.toUpperCase() === 'AUTH');
    if (auth >= 0 && !isPassword(client, options[auth + 2])) return errorOf(WRONG_PASSWORD);
    if (auth >= 0) client.isAuthenticated = true;
    if (!client.isAuthenticated)
      return errorOf(
        'NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO <proto> AUTH <user> <pass> option can be used to authenticate the client and select the RESP protocol version at the same time',
      );
    client.protocol = version === '3' ? 3 : 2;
    return mapOf(
      [
        ['server', 'redis'],
        ['version', '7.4.1'],
        ['proto', client.protocol],
        ['id', 1],
        ['mode', 'standalone'],
        ['role', 'master'],
        ['modules', []],
      ],
      client.protocol,
    );
  },
  AUTH: (client, args) => {
    if (client.front.password === undefined)
      return errorOf(
        'ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?',
      );
    if (!isPassword(client, args.at(-1))) return errorOf(WRONG_PASSWORD);
    client.isAuthenticated = true;
    return OK;
  },
  SELECT: () => OK,
  CLIENT: (client, [subcommand = '', name = '']) => {
    if (subcommand.toUpperCase() === 'SETNAME') client.name = fromBytes(name);
    return OK;
  },
  INFO: ({ front, protocol }) => replyOf(front.info(), protocol),
  PING: ({ channels, protocol }) =>
    protocol === 2 && channels.size > 0 ? replyOf(['pong', ''], protocol) : '+PONG\r\n',
  EVALSHA: (client, words) => run(client, 'evalsha', words),
  EVAL: (client, words) => run(client, 'eval', words),
  SUBSCRIBE: (client, channels) =>
    channels
      .map((channel) => {
        client.subscribe(channel);
        return changed(client, 'subscribe', channel);
      })
      .join(''),
  UNSUBSCRIBE: (client, channels) =>
    (channels.length > 0 ? channels : [...client.channels])
      .map((channel) => {
        client.unsubscribe(channel);
        return changed(client, 'unsubscribe', channel);
      })
      .join(''),
  WAIT: ({ protocol }) => replyOf(0, protocol),
};

function isPassword({ front }: ServerClient, password: string | undefined): boolean {
  return front.password === undefined || password === front.password;
}

function run({ front, protocol }: ServerClient, how: ScriptCommand, words: readonly string[]): string {
  const answer = front.server.answer(how, words.map(fromBytes));
  return 'failure' in answer ? errorOf(answer.failure.message) : replyOf(answer.reply, protocol);
}

/** The answer for one channel, with the number of all. */
function changed({ channels, protocol }: ServerClient, kind: string, channel: string): string {
  return pushOf([kind, fromBytes(channel), channels.size], protocol);
}
