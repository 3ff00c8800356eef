import type { Heartbeat, HeartbeatUrls } from '../contracts/heartbeat.contract.js';
import type { LockConfigurationError } from '../errors/lock.errors.js';
import { checkOptionNames, invalidOption, optionNames, parseDuration } from '../options/option.checks.js';
import { HeartbeatFunction, HeartbeatUrl, type HeartbeatTarget } from './heartbeat.target.js';

/** How long a heartbeat may take, in ms. */
const TIMEOUT = 5000;

const OPTIONS = optionNames<HeartbeatUrls>({ start: true, success: true, failure: true, timeout: true });

const STATES = ['start', 'success', 'failure'] as const satisfies readonly Heartbeat['state'][];

/** Where the heartbeats of a job go to. A state without a target is not reported. */
export interface HeartbeatPlan {
  /** How long each may take, in ms. */
  readonly timeout: number;
  readonly targets: Readonly<Partial<Record<Heartbeat['state'], HeartbeatTarget>>>;
}

/**
 * Reads the option `heartbeat`. No message contains a URL, which is a secret.
 * @param where class and method, for messages
 * @returns undefined for a job without heartbeats
 * @throws LockConfigurationError `INVALID_OPTION`
 */
export function readHeartbeat(given: unknown, where: string): HeartbeatPlan | undefined {
  const option = `heartbeat of ${where}`;
  if (given === undefined) return undefined;
  if (typeof given === 'string') return { timeout: TIMEOUT, targets: below(readUrl(given, option)) };
  if (isFunction(given)) {
    const target = new HeartbeatFunction(given);
    return { timeout: TIMEOUT, targets: { start: target, success: target, failure: target } };
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw noHeartbeat(option, given);
  checkOptionNames(given, OPTIONS, `of ${option}`);
  return readUrls(given, where);
}

function readUrls(given: HeartbeatUrls, where: string): HeartbeatPlan | undefined {
  const { timeout } = given;
  // A URL of an environment that has none is undefined; an object that names no URL is a mistake.
  if (!STATES.some((state) => state in given))
    throw invalidOption(`heartbeat of ${where} has no URL. Set at least one of ${STATES.join(', ')}.`);
  const parsed =
    timeout === undefined
      ? TIMEOUT
      : parseDuration(timeout, { option: `heartbeat.timeout of ${where}`, min: 1 });
  const urls = STATES.flatMap((state) => {
    const url: unknown = given[state];
    return url === undefined
      ? []
      : [[state, new HeartbeatUrl(readUrl(url, `heartbeat.${state} of ${where}`))] as const];
  });
  return urls.length === 0 ? undefined : { timeout: parsed, targets: Object.fromEntries(urls) };
}

/** The addresses that healthchecks.io has, and others like it. */
function below(url: URL): HeartbeatPlan['targets'] {
  const at = (name: string) => {
    const path = new URL(url);
    path.pathname = `${url.pathname.replace(/\/+$/, '')}/${name}`;
    return new HeartbeatUrl(path);
  };
  return { start: at('start'), success: new HeartbeatUrl(url), failure: at('fail') };
}

function readUrl(given: unknown, option: string): URL {
  const url = typeof given === 'string' && URL.canParse(given) ? new URL(given) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol)) return url;
  const what = typeof given === 'string' ? 'the given text' : kindOf(given);
  throw invalidOption(
    `${option} must be an http or https URL, which ${what} is not. The value is not shown, because such a URL is a secret.`,
  );
}

function noHeartbeat(option: string, given: unknown): LockConfigurationError {
  return invalidOption(
    `${option} must be a URL, an object with some of ${[...OPTIONS].join(', ')}, or a function, not ${kindOf(given)}.`,
  );
}

function kindOf(given: unknown): string {
  if (given === null) return 'null';
  return Array.isArray(given) ? 'an array' : `a value of the type ${typeof given}`;
}

function isFunction(given: unknown): given is (heartbeat: Heartbeat) => unknown {
  return typeof given === 'function';
}
