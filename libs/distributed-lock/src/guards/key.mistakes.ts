import { LockConfigurationError } from '../errors/lock.errors.js';
import { readParameters, type Parameters } from './parameter.names.js';

/** The place of a key in the code, and the alternatives to a text that looks like a template. */
export interface KeySource {
  /** For messages: `Orders.place`. */
  readonly where: string;
  /** How the argument of that index is written there; undefined where a text cannot have arguments. */
  readonly fill: ((index: number) => string) | undefined;
  /** How a function for the key is written there. */
  readonly example: string;
}

/** A key function of an interceptor, as an example for messages. */
export const REQUEST_KEY = '(context) => `account:${context.switchToHttp().getRequest().params.id}`';

/** `${id}`: meant as a template literal, and written in quotes. */
const LITERAL = /\$\{[^}]*\}?/;

/** Ways in which frameworks write a parameter into a text, each with the name in a group. */
const FORMS: readonly { readonly form: RegExp; readonly isSure: boolean }[] = [
  // `{id}`, `{user.id}`, `#{id}`, `{{id}}`: murlock, Nest's OpenAPI paths, Spring, Handlebars.
  { form: /\{\s*([\p{ID_Start}$_][\p{ID_Continue}$]*)(?:\.[^{}]*)?\s*\}/gu, isSure: true },
  // `/:id`, `::id`, and `:id` at the beginning: routes.
  { form: /(?:^|[/:]):([\p{ID_Start}$_][\p{ID_Continue}$]*)/gu, isSure: true },
  // `account:id`: a name like any other, unless a parameter is called so.
  { form: /(?<=[^:/]):([\p{ID_Start}$_][\p{ID_Continue}$]*)/gu, isSure: false },
  // `#id`, `$id`, `%id%`, `<id>`, `[id]`: Spring, shells, and documents.
  { form: /[#$%<[]([\p{ID_Start}$_][\p{ID_Continue}$]*)/gu, isSure: false },
];

/** Of a method without a list of its parameters, as of a request. */
const SHELL = /\$\d+/;

/**
 * Refuses a key that was meant to contain an argument and is one name for all calls: every caller would wait for every other one. Words in
 * braces are hash tags of a cluster, and colons are usual in names, so both stay legal where they name no parameter.
 * @param key one text of the key
 * @param method the method whose parameters the key can name; undefined where that is not known
 * @param others further names that a request has, such as those of its route
 * @throws LockConfigurationError `INVALID_OPTION` with the correct form of the key
 */
export function checkStaticKey(
  key: string,
  { where, fill, example }: KeySource,
  method: object | undefined,
  others: readonly string[] = [],
): void {
  const refuse = (found: string, index: number) => {
    const place = index === -1 ? undefined : fill?.(index);
    const template = place === undefined ? '' : `write ${place} for that parameter, or `;
    throw new LockConfigurationError(
      'INVALID_OPTION',
      `The key "${key}" of ${where} would be one lock for all calls: "${found}" is not a template.`,
      key,
      undefined,
      `For a lock per call, ${template}use a function: ${example}. To use this key literally, return it from a function.`,
    );
  };
  const literal = LITERAL.exec(key);
  if (literal !== null) refuse(literal[0], -1);
  if (method === undefined) return;
  const parameters = readParameters(method);
  if (parameters.parameterCount === 0 && others.length === 0) return;
  const shell = SHELL.exec(key);
  const shellIndex = Number(shell?.[0].slice(1));
  if (shell !== null && shellIndex <= (parameters.parameterCount ?? Infinity)) refuse(shell[0], shellIndex);
  const known = [...parameters.names, ...parameters.inner, ...others];
  for (const { form, isSure } of FORMS) {
    for (const [found, word = ''] of key.matchAll(form)) {
      const index = indexOf(word, parameters);
      const isNamed = index !== -1 || others.includes(word);
      const isNear = isSure && (!parameters.areKnown || isPartOf(word, known));
      if (isNamed || isNear) refuse(found, isNamed ? index : nearestIndex(word, parameters));
    }
  }
}

/**
 * Refuses `{1}` on a method with one parameter: no call could fill it.
 * @throws LockConfigurationError `INVALID_OPTION`
 */
export function checkIndexes(key: string, where: string, indexes: readonly number[], method: object): void {
  const { parameterCount } = readParameters(method);
  if (parameterCount === undefined) return;
  const beyond = indexes.find((index) => index >= parameterCount);
  if (beyond === undefined) return;
  const has =
    parameterCount === 0
      ? 'no parameter'
      : parameterCount === 1
        ? 'one parameter, {0}'
        : `${parameterCount} parameters, {0} to {${parameterCount - 1}}`;
  throw new LockConfigurationError(
    'INVALID_OPTION',
    `The key "${key}" of ${where} contains {${beyond}}, but the method has ${has}.`,
    key,
  );
}

function indexOf(word: string, { names }: Parameters): number {
  return names.findIndex((name) => name !== undefined && bare(name) === bare(word));
}

function nearestIndex(word: string, { names }: Parameters): number {
  return names.findIndex((name) => isPartOf(word, [name]));
}

/** `id` is part of `accountId`, and `account` is: one of them was meant. */
function isPartOf(word: string, names: readonly (string | undefined)[]): boolean {
  const words = wordsOf(word);
  return names.some((name) => {
    const own = wordsOf(name ?? '');
    const [few, many] = own.length < words.length ? [own, words] : [words, own];
    return few.length > 0 && few.every((each) => many.includes(each));
  });
}

function wordsOf(name: string): string[] {
  return bare(name)
    .split(/(?=\p{Lu})|_/u)
    .filter(Boolean)
    .map((word) => word.toLowerCase());
}

/** A parameter that is not used otherwise is often called `_id`. */
function bare(name: string): string {
  return name.replace(/^[_$]+/, '');
}
