import { fieldOf, isLiteral, nameOf } from './expression.facts.mjs';
import { FORBIDDEN_COMMANDS, KEYLESS_COMMANDS, SUBCOMMAND_COMMANDS } from './lua.names.mjs';

/** @typedef {import('luaparse').CallExpression} CallExpression */

/**
 * Checks a call, where it is one of redis.call or redis.pcall.
 * @param {CallExpression} call
 * @returns {string | null} what is wrong with it
 */
export function checkCommand({ base, arguments: args }) {
  const field = fieldOf(base);
  if (!field || nameOf(field.base) !== 'redis' || !['call', 'pcall'].includes(field.name)) return null;
  const [first] = args;
  const command = first?.type === 'StringLiteral' ? first.value.toUpperCase() : '';
  if (FORBIDDEN_COMMANDS.has(command)) return `the command ${command} is forbidden in a script`;
  const key = args[SUBCOMMAND_COMMANDS.has(command) ? 2 : 1];
  if (!key || !isLiteral(key) || KEYLESS_COMMANDS.has(command)) return null;
  return `${command || 'the command'} names its key by a literal: declare it as a @key`;
}
