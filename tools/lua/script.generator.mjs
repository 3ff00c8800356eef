/** @typedef {import('./lua.types.js').Part} Part */
/** @typedef {import('./lua.types.js').Script} Script */

const HEAD = `import type { LuaScript } from '../../script-runner/lua.script.js';
`;

/**
 * The TypeScript file that holds the scripts, and the parts once each: most scripts have the same ones. It exports those that are public.
 * @param {Script[]} scripts
 * @param {Part[]} [parts]
 */
export function generateTypeScript(scripts, parts = []) {
  const included = new Set(scripts.flatMap(({ header }) => header.includes.map(({ name }) => name)));
  const embedded = parts.filter(({ name, isPublic }) => isPublic || included.has(name));
  return [HEAD, ...embedded.map(generatePart), ...scripts.map(generateScript)].join('\n');
}

/**
 * `tick/claim` becomes `tickClaim`.
 * @param {string} name
 */
export function constantName(name) {
  return name.replaceAll(/[/-]([a-z0-9])/g, (_match, letter) => letter.toUpperCase());
}

/** @param {Part} part */
function generatePart({ name, description, text, isPublic }) {
  return `${comment(description)}
${isPublic ? 'export ' : ''}const ${name}Part = \`${escape(text)}\` as string;
`;
}

/** @param {Script} script */
function generateScript({ name, header, pieces, sha1 }) {
  const text = pieces.map((piece) => ('part' in piece ? `\${${piece.part}Part}` : escape(piece.own)));
  // `as string` keeps the text out of the declaration files.
  return `${documentation(header)}
export const ${constantName(name)} = {
  name: '${name}',
  sha1: '${sha1}',
  batch: ${header.batch},
  keysPerOperation: ${header.keys.length},
  sharedArgs: ${header.shared.length},
  argsPerOperation: ${header.args.length},
  text: \`${text.join('\n')}\` as string,
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
function escape(text) {
  return text.replaceAll(/[\\`]|\$\{/g, '\\$&');
}

/** @param {import('./lua.types.js').Declaration[]} declarations */
function list(declarations) {
  return declarations.map(({ name }) => name).join(', ') || 'none';
}
