import { isLiteral } from './expression.facts.mjs';
import { FORBIDDEN_COMMANDS, KEYLESS_COMMANDS, SUBCOMMAND_COMMANDS } from './lua.names.mjs';

/** @typedef {import('./lua.types.js').Expression} Expression */

/**
 * Checks a call, where it is one of redis.call or redis.pcall.
 * @param {Extract<Expression, { type: 'call' }>} call
 * @returns {string | null} what is wrong with it
 */
export function checkCommand({ callee, args }) {
  if (callee.type !== 'index' || callee.object.type !== 'name' || callee.object.name !== 'redis') return null;
  if (callee.key.type !== 'string' || !['call', 'pcall'].includes(callee.key.value)) return null;
  const [first] = args;
  const command = first?.type === 'string' ? first.value.toUpperCase() : '';
  if (FORBIDDEN_COMMANDS.has(command)) return `the command ${command} is forbidden in a script`;
  const key = args[SUBCOMMAND_COMMANDS.has(command) ? 2 : 1];
  if (!key || !isLiteral(key) || KEYLESS_COMMANDS.has(command)) return null;
  return `${command || 'the command'} names its key by a literal: declare it as a @key`;
}
