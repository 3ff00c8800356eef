import { LockConfigurationError } from '../errors/lock.errors.js';
import { nearestName } from './nearest.name.js';

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
  return new LockConfigurationError(
    'INVALID_OPTION',
    `Unknown option "${name.slice(0, 80)}" ${where ?? `for "${lock}"`}${hint === '' ? '.' : hint} The known options are ${[...known].join(', ')}.`,
    lock,
  );
}

function noObject(options: unknown, known: OptionNames, { where, lock }: Place): LockConfigurationError {
  const given = Array.isArray(options) ? 'an array' : shown(options);
  return new LockConfigurationError(
    'INVALID_OPTION',
    `The options ${where ?? `for "${lock}"`} must be an object with some of ${[...known].join(', ')}, not ${given}.`,
    lock,
  );
}

function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 80));
  return typeof value === 'function' ? 'a function' : String(value);
}
