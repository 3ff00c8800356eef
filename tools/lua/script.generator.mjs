/** @typedef {import('./lua.types.js').Script} Script */

const HEAD = `// Generated from lua/ by "npm run build:lua"; change the scripts there.
import type { LuaScript } from '../lua.script.js';
`;

/**
 * The TypeScript file that holds the scripts.
 * @param {Script[]} scripts
 */
export function generateTypeScript(scripts) {
  return [HEAD, ...scripts.map(generateScript)].join('\n');
}

/**
 * `tick/claim` becomes `tickClaim`.
 * @param {string} name
 */
export function constantName(name) {
  return name.replaceAll(/[/-]([a-z0-9])/g, (_match, letter) => letter.toUpperCase());
}

/** @param {Script} script */
function generateScript({ name, header, text, sha1 }) {
  // `as string` keeps the text out of the declaration files.
  return `${documentation(header)}
export const ${constantName(name)} = {
  name: '${name}',
  sha1: '${sha1}',
  batch: ${header.batch},
  keysPerOperation: ${header.keys.length},
  sharedArgs: ${header.shared.length},
  argsPerOperation: ${header.args.length},
  text: \`${text.replaceAll(/[\\`]|\$\{/g, '\\$&')}\` as string,
} as const satisfies LuaScript;
`;
}

/** @param {Script['header']} header */
function documentation({ description, keys, shared, args, replies, repeat }) {
  const lines = [
    ...description,
    `KEYS: ${list(keys)}.`,
    ...(shared.length > 0 ? [`ARGV, once: ${list(shared)}.`] : []),
    ...(args.length > 0 ? [`ARGV${shared.length > 0 ? ', per operation' : ''}: ${list(args)}.`] : []),
    ...replies.map((reply) => `- \`${reply.name}\`: ${reply.description}`),
    `Repeating it is ${repeat}`,
  ];
  return `/**\n${lines.map((line) => ` * ${line.replaceAll('*/', '* /')}`).join('\n')}\n */`;
}

/** @param {import('./lua.types.js').Declaration[]} declarations */
function list(declarations) {
  return declarations.map(({ name }) => name).join(', ') || 'none';
}
