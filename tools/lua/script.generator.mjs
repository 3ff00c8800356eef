/** @typedef {import('./lua.types.js').Part} Part */
/** @typedef {import('./lua.types.js').Script} Script */

const HEAD = `import type { LuaScript } from '../lua.script.js';
`;

/**
 * The TypeScript file that holds the scripts, and the parts that are public.
 * @param {Script[]} scripts
 * @param {Part[]} [parts]
 */
export function generateTypeScript(scripts, parts = []) {
  const publicParts = parts.filter(({ isPublic }) => isPublic);
  return [HEAD, ...scripts.map(generateScript), ...publicParts.map(generatePart)].join('\n');
}

/**
 * `tick/claim` becomes `tickClaim`.
 * @param {string} name
 */
export function constantName(name) {
  return name.replaceAll(/[/-]([a-z0-9])/g, (_match, letter) => letter.toUpperCase());
}

/** @param {Part} part */
function generatePart({ name, description, text }) {
  return `${comment(description)}
export const ${name}Part = ${literal(text)} as string;
`;
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
  text: ${literal(text)} as string,
} as const satisfies LuaScript;
`;
}

/** @param {Script['header']} header */
function documentation({ description, keys, shared, args, otherKeys, otherArgs, derived, replies, repeat }) {
  const given = [...args, ...otherArgs];
  const lines = [
    ...description,
    `KEYS: ${list([...keys, ...otherKeys])}.`,
    ...(shared.length > 0 ? [`ARGV, once: ${list(shared)}.`] : []),
    ...(given.length > 0 ? [`ARGV${shared.length > 0 ? ', per operation' : ''}: ${list(given)}.`] : []),
    ...derived.map(({ name, description: what }) => `Derived keys: \`${name}\` ${what}`),
    ...replies.map((reply) => `- \`${reply.name}\`: ${reply.description}`),
    `Repeating it is ${repeat}`,
  ];
  return comment(lines);
}

/** @param {string[]} lines */
function comment(lines) {
  return `/**\n${lines.map((line) => ` * ${line.replaceAll('*/', '* /')}`).join('\n')}\n */`;
}

/** @param {string} text */
function literal(text) {
  return `\`${text.replaceAll(/[\\`]|\$\{/g, '\\$&')}\``;
}

/** @param {import('./lua.types.js').Declaration[]} declarations */
function list(declarations) {
  return declarations.map(({ name }) => name).join(', ') || 'none';
}
