import type { LockNames } from '../contracts/guard.contract.js';
import { LockConfigurationError } from '../errors/lock.errors.js';
import { checkKey, readNames } from '../service/lock.choice.js';
import type { LockKey } from './guard.types.js';

/** `{0}` or `{0.path.to}`: an argument, or what is found in it. */
const PLACEHOLDER = /\{(\d+)((?:\.[^.{}]+)*)\}/g;
/** Begins like one. Other braces are part of the name: they are hash tags of a cluster. */
const BEGUN = /\{\d[^}]*\}?/;

/**
 * Makes a function of a key: what it gives is one name, or several different ones.
 * @param where class and method, for messages
 * @throws LockConfigurationError `INVALID_OPTION` for a key that cannot give names, or a broken template
 */
export function readKey<A extends readonly unknown[]>(
  key: LockKey<A>,
  where: string,
): (args: A) => LockNames {
  checkKey(key, `The key of ${where}`);
  if (typeof key === 'function')
    return (args) => readNames(key(...args), `The key function of ${where} gave`);
  const giver = `The key of ${where} gave`;
  if (typeof key === 'string') {
    const template = readTemplate(key, where);
    return (args) => readNames(template(args), giver);
  }
  const templates = key.map((each) => readTemplate(each, where));
  return (args) =>
    readNames(
      templates.map((template) => template(args)),
      giver,
    );
}

function readTemplate(key: string, where: string): (args: readonly unknown[]) => string {
  const broken = BEGUN.exec(key.replace(PLACEHOLDER, ''));
  if (broken !== null) {
    throw new LockConfigurationError(
      'INVALID_OPTION',
      `The key "${key}" of ${where} has "${broken[0]}": write {0} or {0.path.to}.`,
      key,
    );
  }
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
  if (
    kind === 'string' ||
    kind === 'bigint' ||
    kind === 'boolean' ||
    (kind === 'number' && !Number.isNaN(value))
  )
    return String(value);
  const found = value === null || kind === 'number' ? String(value) : kind;
  throw new LockConfigurationError(
    'INVALID_NAME',
    `The key "${key}" of ${where} cannot be filled: ${placeholder} is ${found}, and must be text, a number or a boolean.`,
    key,
  );
}
