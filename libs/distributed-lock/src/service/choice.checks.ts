import { types } from 'node:util';
import type { GuardKind, LockNames } from '../contracts/guard.contract.js';
import type { UsingOptions } from '../contracts/lock.contract.js';
import { LockConfigurationError } from '../errors/lock.errors.js';
import { checkOptionNames, invalidOption, optionNames } from '../options/option.checks.js';

const KINDS: Readonly<Record<GuardKind, true>> = {
  reentrant: true,
  fair: true,
  read: true,
  write: true,
  fenced: true,
};

const USING = optionNames<UsingOptions & { readonly kind?: GuardKind }>({
  waitTime: true,
  leaseTime: true,
  signal: true,
  onLost: true,
  kind: true,
});

/** Checks the names of the options of `using()`, which chooses a lock and runs work under it. @throws LockConfigurationError `INVALID_OPTION` */
export function checkUsingOptions(lock: string, options: unknown): void {
  checkOptionNames(options, USING, undefined, lock);
}

/**
 * The requested lock or locks: of several names each counts once, and a single one that is left is a lock like any other.
 * @param source the source of the names, for messages: "The key function of Orders.place gave"
 * @throws LockConfigurationError `INVALID_NAME` for a value that is no name and no array of names
 */
export function readNames(given: unknown, source: string): LockNames {
  if (!isNames(given)) {
    // A promise that is refused here may be rejected later.
    if (types.isPromise(given)) given.catch(() => undefined);
    throw new LockConfigurationError(
      'INVALID_NAME',
      `${source} ${flawOf(given)}; a key is a name, or an array of names.`,
      undefined,
      undefined,
      'Use a name of at least one character, or an array of names; a promise is not accepted.',
    );
  }
  if (typeof given === 'string') return given;
  const [first = '', ...others] = new Set(given);
  return others.length === 0 ? first : [first, ...others];
}

/**
 * For callers without types: checks the part of a guard's key that is known before any call.
 * @param place the place of the key, for messages: "The key of Orders.place"
 * @throws LockConfigurationError `INVALID_OPTION`
 */
export function checkKey(key: unknown, place: string): void {
  if (typeof key === 'function') return refuseThis(key, place);
  if (isNames(key)) return;
  throw invalidOption(`${place} must be a name, an array of names, or a function, not ${flawOf(key)}.`);
}

/**
 * For callers without types.
 * @param option the option, for messages: "kind of Orders.place"
 * @throws LockConfigurationError `INVALID_OPTION` for a value that is no kind for a guard
 */
export function checkKind(kind: unknown, option: string): void {
  if (kind === undefined || (typeof kind === 'string' && Object.hasOwn(KINDS, kind))) return;
  const kinds = Object.keys(KINDS).map((name) => `"${name}"`);
  throw invalidOption(
    `${option} must be one of ${kinds.join(', ')}, not ${typeof kind === 'string' ? `"${kind}"` : String(kind)}.`,
  );
}

/** A decorator is evaluated before there is an instance. The `this` of an arrow function is that of the code around it. */
function refuseThis(key: object, place: string): void {
  const text = Function.prototype.toString.call(key);
  if (/^(?:async\s*)?(?:\(|[\w$]+\s*=>)/.test(text) || !/\bthis\b/.test(withoutComments(text))) return;
  throw invalidOption(
    `${place} is a function that uses "this", which is not available.`,
    undefined,
    'Compute the name from the arguments alone. For a name that depends on the instance, call locks.using() in the method.',
  );
}

function withoutComments(text: string): string {
  // Of a template the parts between its expressions are text, too.
  return text
    .replace(/\/\*[^]*?\*\/|\/\/.*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g, '')
    .replace(/`(?:[^`\\]|\\.)*`/g, (template) => [...template.matchAll(/\$\{[^}]*\}/g)].join(' '));
}

function isNames(value: unknown): value is LockNames {
  return flawOf(value) === undefined;
}

/** Why a value names no lock; undefined when it does. */
function flawOf(value: unknown): string | undefined {
  if (!Array.isArray(value)) return flawOfName(value);
  const flaws = Array.from<unknown, string | undefined>(value, flawOfName);
  const at = flaws.findIndex((flaw) => flaw !== undefined);
  if (at !== -1) return `an array with ${flaws[at]} at [${at}]`;
  return value.length === 0 ? 'an empty array' : undefined;
}

function flawOfName(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? 'an empty string' : undefined;
  return value === null ? 'null' : typeof value;
}
