import { inspect } from 'node:util';
import ms from 'ms';
import type { Duration } from '../contracts/duration.js';
import { LockConfigurationError } from '../errors/lock.errors.js';

/** @param lock the lock's name, or the job's */
export function invalidOption(message: string, lock?: string, remedy?: string): LockConfigurationError {
  return new LockConfigurationError('INVALID_OPTION', message, lock, undefined, remedy);
}

/** The names that one option object may have. */
export type OptionNames = ReadonlySet<string>;

/**
 * The names of `T`, bound to the type: an option that is added to the type, or renamed there, does not compile without its name here.
 * @param names every property of the type
 */
export function optionNames<T extends object>(names: Readonly<Record<keyof T, true>>): OptionNames {
  return new Set(Object.keys(names));
}

/**
 * Refuses what is no option object, and an option with an unknown name: its value would be ignored in silence.
 * @param where for messages, `of Orders.place`. @default the lock's name
 * @throws LockConfigurationError `INVALID_OPTION` that names the option, the nearest known one, and all of them
 */
export function checkOptionNames(
  options: unknown,
  known: OptionNames,
  where: string | undefined,
  lock?: string,
): void {
  // Every call with options comes through here: nothing is made before there is something to refuse.
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw noObject(options, known, { where, lock });
  for (const name in options) if (!known.has(name)) throw unknownName(name, known, { where, lock });
}

/**
 * As {@link checkOptionNames} for an object of callbacks. An instance of a class may have what it likes beside them.
 * @throws LockConfigurationError `INVALID_OPTION`
 */
export function checkCallbackNames(
  callbacks: unknown,
  known: OptionNames,
  where: string | undefined,
  lock?: string,
): void {
  const names = isInstance(callbacks) ? {} : callbacks;
  checkOptionNames(names, known, where, lock);
}

/** How options that may be an instance of a class are read. */
interface OptionsPlan {
  /** The names that the options may have. */
  readonly known: OptionNames;
  /** Those whose values are used. @default all */
  readonly read?: OptionNames;
  /** For messages, as in {@link checkOptionNames}. */
  readonly where: string;
}

/**
 * The options of an instance of a class as an object of their own. The methods and accessors of a class are no properties of its instances:
 * Nest, a spread and a rest would leave them out in silence. Methods stay bound to the instance.
 * @throws LockConfigurationError `INVALID_OPTION` for a method or an accessor whose name is nearly that of an option which its
 * class lacks
 */
export function ownOptions<T extends object>(options: T, { known, read = known, where }: OptionsPlan): T {
  if (!isInstance(options)) return options;
  for (const name of membersOf(options))
    if (isMisspelt(name, known, options)) throw unknownName(name, known, { where, lock: undefined });
  const own: Record<string, unknown> = {};
  for (const name of read) {
    if (!(name in options)) continue;
    const value: unknown = Reflect.get(options, name);
    own[name] = typeof value === 'function' ? value.bind(options) : value;
  }
  return own as T;
}

/**
 * Options whose names are checked, as {@link ownOptions} gives them.
 * @throws LockConfigurationError `INVALID_OPTION`
 */
export function readOptions<T extends object>(options: T, plan: OptionsPlan): T {
  checkOptionNames(options, plan.known, plan.where);
  return ownOptions(options, plan);
}

/**
 * Whether a member stands for an option that neither its class nor a class below it has. A helper beside the option may have a similar name.
 */
function isMisspelt(name: string, known: OptionNames, options: object): boolean {
  const nearest = known.has(name) ? undefined : nearestName(name, known);
  if (nearest === undefined) return false;
  let [hasOption, isAlone] = [false, false];
  // The highest class with the member decides: those below override it.
  for (let level: object | null = options; level !== null; level = Reflect.getPrototypeOf(level)) {
    hasOption ||= Object.hasOwn(level, nearest);
    if (Object.hasOwn(level, name)) isAlone = !hasOption;
  }
  return isAlone;
}

/** The names of the methods and accessors of an object's classes. */
function* membersOf(instance: object): Generator<string> {
  let level = Reflect.getPrototypeOf(instance);
  while (level !== null && Reflect.getPrototypeOf(level) !== null) {
    for (const name of Object.getOwnPropertyNames(level)) if (name !== 'constructor') yield name;
    level = Reflect.getPrototypeOf(level);
  }
}

function isInstance(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Reflect.getPrototypeOf(value);
  // An object literal of another realm has a prototype that is the last of its chain, too.
  return prototype !== null && typeof prototype === 'object' && Reflect.getPrototypeOf(prototype) !== null;
}

interface Place {
  readonly where: string | undefined;
  readonly lock: string | undefined;
}

function unknownName(name: string, known: OptionNames, { where, lock }: Place): LockConfigurationError {
  const nearest = nearestName(name, known);
  const hint = nearest === undefined ? '' : `: did you mean ${nearest}?`;
  return invalidOption(
    `Unknown option "${name.slice(0, 80)}" ${where ?? `for "${lock}"`}${hint === '' ? '.' : hint} The known options are ${[...known].join(', ')}.`,
    lock,
  );
}

function noObject(options: unknown, known: OptionNames, { where, lock }: Place): LockConfigurationError {
  const given = Array.isArray(options) ? 'an array' : shown(options);
  return invalidOption(
    `The options ${where ?? `for "${lock}"`} must be an object with some of ${[...known].join(', ')}, not ${given}.`,
    lock,
  );
}

function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 80));
  return typeof value === 'function' ? 'a function' : String(value);
}

/** What other lock libraries, and users, call an option of ours. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  waitTime: ['timeout', 'acquireTimeout', 'maxWait', 'wait'],
  leaseTime: ['ttl', 'expire', 'expiration', 'expiresIn', 'lockTimeout', 'duration', 'lease'],
  lockWatchdogTimeout: ['watchdog', 'watchdogTimeout', 'automaticExtensionThreshold'],
  namePrefix: ['prefix', 'keyPrefix'],
  redis: ['url', 'connection', 'client', 'clients'],
};

/**
 * The known name that a reader of `name` most likely meant; undefined when none is near.
 * Letters may be wrong, doubled, missing, swapped, or of the other case, in up to a third of the name.
 */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  const wanted = plain(name);
  let nearest: string | undefined;
  let least = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of known) {
    const names = [candidate, ...(ALIASES[candidate] ?? [])].map(plain);
    const distance = Math.min(...names.map((each) => distanceOf(wanted, each)));
    if (distance < least) [nearest, least] = [candidate, distance];
  }
  return nearest;
}

/** `wait_time` and `WAIT-TIME` are near to `waitTime`. A name may come from outside, and be of any length. */
function plain(name: string): string {
  return name
    .slice(0, 80)
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();
}

/** How many letters have to be put in, left out, replaced, or swapped with their neighbour. */
function distanceOf(a: string, b: string): number {
  let [before, last]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, index) => index)];
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const isSame = a[i - 1] === b[j - 1];
      const replaced = at(last, j - 1) + (isSame ? 0 : 1);
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwapped ? at(before, j - 2) + 1 : Infinity;
      row.push(Math.min(at(last, j) + 1, at(row, j - 1) + 1, replaced, swapped));
    }
    [before, last] = [last, row];
  }
  return at(last, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}

/**
 * @param where for messages, `of jobs.list()`
 * @throws LockConfigurationError `INVALID_OPTION` for what is no number of rows up to `most`
 */
export function checkLimit(limit: unknown, most: number, where: string): void {
  if (Number.isInteger(limit) && Number(limit) >= 1 && Number(limit) <= most) return;
  throw invalidOption(`limit ${where} must be a whole number from 1 to ${most}, not ${String(limit)}.`);
}

/** The longest duration taken: ten years. A longer TTL would overflow in places that store it (wire format D11). */
export const LONGEST = 10 * 365 * 24 * 3_600_000;

interface Bounds {
  /** Named in the error. */
  readonly option: string;
  readonly lock?: string | undefined;
  readonly min?: number;
  /** Whether `Infinity` is a value. */
  readonly unbounded?: boolean;
}

/**
 * A duration in whole ms.
 * @throws LockConfigurationError `INVALID_OPTION` for anything that is not a duration within bounds
 */
export function parseDuration(value: Duration, { option, lock, min = 0, unbounded = false }: Bounds): number {
  const parsed: unknown = typeof value === 'string' ? readText(value) : value;
  if (typeof parsed !== 'number' || Number.isNaN(parsed)) {
    throw wrongDuration(option, value, 'a number of milliseconds or a string like "30s"', lock);
  }
  if (parsed === Infinity && unbounded) return Infinity;
  const rounded = Math.round(parsed);
  if (rounded < min) throw wrongDuration(option, value, `at least ${min} ms`, lock);
  if (rounded > LONGEST) throw wrongDuration(option, value, 'at most ten years', lock);
  return rounded;
}

function readText(text: string): number | undefined {
  return text.length === 0 || text.length > 100 ? undefined : ms(text as ms.StringValue);
}

function wrongDuration(
  option: string,
  value: unknown,
  expected: string,
  lock: string | undefined,
): LockConfigurationError {
  const given = typeof value === 'string' ? `"${value.slice(0, 100)}"` : inspect(value, { depth: 0 });
  const where = lock === undefined ? '' : ` for lock "${lock}"`;
  return invalidOption(`${option} must be ${expected}${where}, not ${given}.`, lock);
}
