import type { LockNames } from '../contracts/guard.contract.js';
import { errorText } from '../errors/error.text.js';
import { LockConfigurationError } from '../errors/lock.errors.js';
import { checkIndexes, checkStaticKey, type KeySource } from '../guards/key.mistakes.js';
import { checkKey, readNames } from '../service/choice.checks.js';
import type { LockKey } from './guard.types.js';

/** `{0}` or `{0.path.to}`: an argument, or what is found in it. */
const PLACEHOLDER = /\{(\d+)((?:\.[^.{}]+)*)\}/g;
/** Begins like one. Other braces are part of the name: they are hash tags of a cluster. */
const BEGUN = /\{\d[^}]*\}?/;

/**
 * Makes a function of a key: what it gives is one name, or several different ones.
 * @param where class and method, for messages
 * @param method whose parameters the key can be about. @default not known
 * @throws LockConfigurationError `INVALID_OPTION` for a key that cannot give names, a broken template, or a text that was meant as one
 */
export function readKey<A extends readonly unknown[]>(
  key: LockKey<A>,
  where: string,
  method?: object,
): (args: A) => LockNames {
  checkKey(key, `The key of ${where}`);
  if (typeof key === 'function')
    return (args) => readNames(callKey(key, args, where), `The key function of ${where} returned`);
  const source = `The key of ${where} resulted in`;
  if (typeof key === 'string') {
    const template = readTemplate(key, where, method);
    return (args) => readNames(template(args), source);
  }
  const templates = key.map((each) => readTemplate(each, where, method));
  return (args) =>
    readNames(
      templates.map((template) => template(args)),
      source,
    );
}

/** The function is called without the instance: a decorator is evaluated before there is one. */
function callKey<A extends readonly unknown[]>(
  key: (this: void, ...args: A) => LockNames,
  args: A,
  where: string,
): LockNames {
  try {
    return key(...args);
  } catch (error) {
    // A guess at the cause goes with the error, whose own stack leads to the function.
    if (!(error instanceof TypeError) || !/\bthis\b/.test(Function.prototype.toString.call(key))) throw error;
    throw new LockConfigurationError(
      'INVALID_NAME',
      `The key function of ${where} uses "this" and failed: ${errorText(error)}.`,
      undefined,
      { cause: error },
      'A key function has no "this": compute the key from the arguments of the method.',
    );
  }
}

function readTemplate(
  key: string,
  where: string,
  method: object | undefined,
): (args: readonly unknown[]) => string {
  const broken = BEGUN.exec(key.replace(PLACEHOLDER, ''));
  if (broken !== null) {
    throw new LockConfigurationError(
      'INVALID_OPTION',
      `The key "${key}" of ${where} contains "${broken[0]}": write {0} or {0.path.to}.`,
      key,
    );
  }
  checkStaticKey(key.replace(PLACEHOLDER, ''), keySourceOf(where), method);
  const indexes = [...key.matchAll(PLACEHOLDER)].map(([, index]) => Number(index));
  if (method !== undefined) checkIndexes(key, where, indexes, method);
  return (args) =>
    key.replace(PLACEHOLDER, (placeholder, index: string, path: string) =>
      fill(args[Number(index)], path, placeholder, { key, where }),
    );
}

function fill(
  argument: unknown,
  path: string,
  placeholder: string,
  { key, where }: { key: string; where: string },
): string {
  let value = argument;
  for (const step of path.split('.').slice(1)) {
    if (value === undefined || value === null) break;
    const place: Readonly<Record<string, unknown>> = Object(value);
    value = place[step];
  }
  const kind = typeof value;
  // Calls with and without a value would share one lock. A name that is nothing else is refused as an empty name.
  if (value === '' && key !== placeholder) throw unfilled(key, where, placeholder, 'an empty string');
  if (
    kind === 'string' ||
    kind === 'bigint' ||
    kind === 'boolean' ||
    (kind === 'number' && Number.isFinite(value))
  )
    return String(value);
  const found = value === null || kind === 'number' ? String(value) : kind;
  throw unfilled(key, where, placeholder, found);
}

function unfilled(key: string, where: string, placeholder: string, found: string): LockConfigurationError {
  return new LockConfigurationError(
    'INVALID_NAME',
    `The key "${key}" of ${where} cannot be filled: ${placeholder} is ${found}, and must be a string, a number or a boolean.`,
    key,
    undefined,
    `Call the method with such a value at ${placeholder}, or use a key function that returns a name for every call.`,
  );
}

function keySourceOf(where: string): KeySource {
  return { where, fill: (index) => `{${index}}`, example: '(id) => `account:${id}`' };
}
