import type { GuardKey } from '../metadata/guard.registry.js';
import { LockConfigurationError } from '../errors/lock.errors.js';

/** The beginning of a placeholder for an argument. */
const PLACEHOLDER = /\{\d/;

/**
 * The name of a scheduled method's job: its key, which a schedule calls without arguments.
 * @param where class and method, for messages
 * @throws LockConfigurationError `INVALID_OPTION` for a key that needs arguments, or an array
 */
export function jobName(key: GuardKey, where: string): string {
  if (typeof key === 'function') return fromFunction(key, where);
  if (typeof key !== 'string') throw invalid(where, 'its key is an array');
  if (PLACEHOLDER.test(key)) throw invalid(where, `the key "${key}" is filled from arguments`);
  return key;
}

function fromFunction(key: Extract<GuardKey, (...args: never) => unknown>, where: string): string {
  if (key.length > 0) throw invalid(where, 'its key function takes arguments');
  let name: unknown;
  try {
    name = Reflect.apply(key, undefined, []);
  } catch (error) {
    throw invalid(where, `its key function failed without arguments (${String(error)})`, error);
  }
  if (Array.isArray(name)) throw invalid(where, 'its key function returned an array');
  if (typeof name !== 'string' || name === '') throw invalid(where, 'its key function returned no string');
  return name;
}

function invalid(where: string, why: string, cause?: unknown): LockConfigurationError {
  return new LockConfigurationError(
    'INVALID_OPTION',
    `${where} has a schedule, so its key must be one fixed name, or a function without parameters that returns one: ${why}.`,
    undefined,
    { cause },
  );
}
