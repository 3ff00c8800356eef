import { parseArgs } from 'node:util';
import type { Duration } from '../contracts/duration.js';
import type { GuardKind } from '../contracts/guard.contract.js';
import { faultOfAddress } from '../redis-source/address.reader.js';
import { parseDuration } from '../options/option.checks.js';
import { PUBSUBS } from '../startup/settings.reader.js';

const COMMANDS = [
  'doctor',
  'ls',
  'locks',
  'show',
  'unlock',
  'jobs',
  'job',
  'runs',
  'pause',
  'resume',
  'run-now',
  'forget',
  'instances',
  'top',
  'board',
  'run',
] as const;

/** The commands without a name of a lock or a job. */
const NAMELESS: readonly string[] = ['doctor', 'ls', 'locks', 'jobs', 'instances', 'top', 'board'];

/** The commands whose name is one of a lock. */
const OF_LOCKS: readonly string[] = ['show', 'unlock', 'run'];

const KINDS: readonly GuardKind[] = ['reentrant', 'fair', 'read', 'write', 'fenced'];

/** The options of each command beside the common ones. */
const OWN: Readonly<Record<string, readonly string[]>> = {
  doctor: ['strict'],
  ls: ['limit'],
  locks: ['limit'],
  show: ['name'],
  unlock: ['yes', 'name'],
  jobs: ['limit'],
  job: ['name', 'limit'],
  runs: ['name', 'limit'],
  pause: ['name'],
  resume: ['name'],
  'run-now': ['name', 'wait'],
  forget: ['name', 'yes', 'force'],
  instances: [],
  top: [],
  board: ['port', 'read-only'],
  run: ['name', 'wait', 'lease', 'kind', 'grace'],
};

const OF_ALL = ['redis', 'prefix', 'pubsub', 'timeout', 'json', 'help', 'version'];

/** Thrown for a command line that cannot be read, with a sentence that describes the correct form. */
export class UsageError extends Error {}

/** The parsed command line. Durations in ms. */
export interface CommandLine {
  readonly command: (typeof COMMANDS)[number] | 'help' | 'version';
  /** The lock's or the job's name; empty where the command takes none. */
  readonly name: string;
  /** The command for `run`. */
  readonly words: readonly string[];
  readonly redis: string;
  readonly prefix: string;
  readonly timeout: number;
  /** The channels of a cluster, as in the module. */
  readonly pubsub: (typeof PUBSUBS)[number];
  readonly isJson: boolean;
  readonly isStrict: boolean;
  readonly isSure: boolean;
  readonly isForced: boolean;
  readonly limit: number;
  readonly wait: number;
  /** Undefined: the watchdog renews it. */
  readonly lease: number | undefined;
  readonly kind: GuardKind;
  readonly grace: number;
  /** The port of the dashboard; 0: any free one. */
  readonly port: number;
  readonly isReadOnly: boolean;
}

/**
 * @param args without node and the script
 * @throws UsageError
 */
export function readLine(args: readonly string[], env: Readonly<NodeJS.ProcessEnv>): CommandLine {
  const end = args.indexOf('--');
  const { values, positionals } = parse(end === -1 ? args : args.slice(0, end));
  const behind = end === -1 ? [] : args.slice(end + 1);
  const [first, ...given] = positionals;
  const command = values.help === true ? 'help' : values.version === true ? 'version' : find(first);
  const isAside = command === 'help' || command === 'version';
  // A name that begins with "-" follows "--", as in other commands; `run` has its own command there.
  const words = command === 'run' ? behind : [];
  const rest = [
    ...(values.name === undefined ? [] : [values.name]),
    ...given,
    ...(command === 'run' ? [] : behind),
  ];
  if (command !== 'run' && behind.length > 0 && rest.length > 1)
    throw new UsageError(`${command} accepts nothing after " -- ".`);
  if (!isAside) check(command, Object.keys(values), rest, words);
  const url = command === 'doctor' ? (rest[0] ?? values.redis) : values.redis;
  return {
    command,
    name: rest[0] ?? '',
    words,
    redis: isAside ? '' : readUrl(url ?? env['REDIS_URL']),
    prefix: values.prefix ?? 'lock:',
    timeout: duration('timeout', values.timeout, '3s', 50),
    pubsub: readPubsub(values.pubsub ?? 'auto'),
    isJson: values.json === true,
    isStrict: values.strict === true,
    isSure: values.yes === true,
    isForced: values.force === true,
    limit: readLimit(values.limit ?? '1000'),
    wait: readWait(command, values.wait),
    lease: values.lease === undefined ? undefined : duration('lease', values.lease, '', 100),
    kind: readKind(values.kind ?? 'reentrant'),
    grace: duration('grace', values.grace, '5s', 0),
    port: readPort(values.port ?? '4242'),
    isReadOnly: values['read-only'] === true,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        redis: { type: 'string' },
        name: { type: 'string' },
        prefix: { type: 'string' },
        pubsub: { type: 'string' },
        timeout: { type: 'string' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean', short: 'v' },
        strict: { type: 'boolean' },
        limit: { type: 'string' },
        yes: { type: 'boolean', short: 'y' },
        force: { type: 'boolean' },
        wait: { type: 'string' },
        lease: { type: 'string' },
        kind: { type: 'string' },
        grace: { type: 'string' },
        port: { type: 'string' },
        'read-only': { type: 'boolean' },
      },
    });
  } catch (error) {
    throw new UsageError(explain(error));
  }
}

/** Node explains an unknown option in more than one sentence, of which the first one is enough. */
function explain(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const unknown = /^Unknown option '(.*?)'/.exec(message)?.[1];
  if (unknown === undefined) return message;
  return `Unknown option '${unknown}'. Pass a name that begins with "-" after " -- ", or as --name=${unknown}.`;
}

function find(word: string | undefined): (typeof COMMANDS)[number] {
  const command = COMMANDS.find((known) => known === word);
  if (command !== undefined) return command;
  throw new UsageError(
    word === undefined
      ? 'Give a command.'
      : `Unknown command "${word}". The commands are ${COMMANDS.join(', ')}.`,
  );
}

function check(
  command: string,
  given: readonly string[],
  names: readonly string[],
  words: readonly string[],
): void {
  const stray = given.find((option) => !OF_ALL.includes(option) && OWN[command]?.includes(option) !== true);
  if (stray !== undefined) throw new UsageError(`${command} has no option --${stray}.`);
  const takesName = !NAMELESS.includes(command);
  const [least, most] = takesName ? [1, 1] : command === 'doctor' ? [0, 1] : [0, 0];
  if (names.length < least)
    throw new UsageError(`${command} needs the name of a ${OF_LOCKS.includes(command) ? 'lock' : 'job'}.`);
  const [extra] = names.slice(most);
  if (extra !== undefined) {
    // An address may have a password in it, so it is not repeated.
    const there = /^rediss?:\/\//i.test(extra) ? 'an address: give it with --redis' : `"${extra}"`;
    throw new UsageError(
      `${command} accepts ${most === 0 ? 'no name' : 'one name'}, but there is also ${there}.`,
    );
  }
  if (command === 'run' && words.length === 0) throw new UsageError('run needs a command after " -- ".');
}

/** The same addresses as the module takes; one may have a password in it, so a refused address is not repeated. */
function readUrl(url: string | undefined): string {
  if (url === undefined || url === '')
    throw new UsageError('Give the address of Redis: --redis redis://localhost:6379, or REDIS_URL.');
  const fault = faultOfAddress(url);
  if (fault === undefined) return url;
  throw new UsageError(
    `The address of Redis must be a URL like "redis://user:password@host:6379/0", or host:port, not ${fault.given}. ${fault.remedy}`,
  );
}

function readPubsub(value: string): CommandLine['pubsub'] {
  const known = PUBSUBS.find((each) => each === value);
  if (known !== undefined) return known;
  throw new UsageError(`--pubsub must be one of ${PUBSUBS.join(', ')}, not "${value}".`);
}

function duration(option: string, value: string | undefined, byDefault: string, min: number): number {
  // The reader of durations refuses any other value.
  return parseDuration((value ?? byDefault) as Duration, { option: `--${option}`, min });
}

function readWait(command: string, value: string | undefined): number {
  const isRunNow = command === 'run-now';
  if (value === 'forever' && !isRunNow) return Infinity;
  return duration('wait', value, isRunNow ? '10s' : '0', isRunNow ? 1 : 0);
}

function readLimit(text: string): number {
  const limit = Number(text);
  if (Number.isSafeInteger(limit) && limit > 0) return limit;
  throw new UsageError(`--limit must be a whole number of at least 1, not "${text}".`);
}

function readPort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new UsageError(`--port must be a whole number from 0 to 65535, not "${text}".`);
}

function readKind(text: string): GuardKind {
  const kind = KINDS.find((known) => known === text);
  if (kind !== undefined) return kind;
  throw new UsageError(`--kind must be one of ${KINDS.join(', ')}, not "${text}".`);
}
