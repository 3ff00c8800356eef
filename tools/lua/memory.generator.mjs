import { JsCompiler } from './js.compiler.mjs';
import { JsScope } from './js.scope.mjs';
import { COMMANDS } from './library.names.mjs';
import { LuaSyntaxError } from './lua.parser.mjs';
import { constantName } from './script.generator.mjs';

/** @typedef {import('./lua.types.js').Part} Part */
/** @typedef {import('./lua.types.js').Script} Script */

/**
 * The TypeScript file that has the scripts as functions, for the memory store.
 * @param {readonly Script[]} scripts
 * @param {readonly Part[]} parts
 * @returns {{ text: string, refusals: string[] }} refusals as `file:line message`
 */
export function generateMemoryScripts(scripts, parts) {
  /** @type {string[]} */
  const refusals = [];
  const shared = new JsScope(null);
  for (const { name } of parts) shared.declare(name);
  /**
   * @param {string} file
   * @param {() => string} compile
   */
  const attempt = (file, compile) => {
    try {
      return compile();
    } catch (error) {
      if (!(error instanceof LuaSyntaxError)) throw error;
      refusals.push(`${file}:${error.line} ${error.message}`);
      return '';
    }
  };
  const functions = parts.map((part) => attempt(`lua/parts/${part.file}`, () => writePart(part, shared)));
  const entries = scripts.map((script) =>
    attempt(`lua/${script.name}.lua`, () => writeScript(script, shared)),
  );
  return { text: write(functions, entries), refusals };
}

/**
 * @param {string[]} functions
 * @param {string[]} entries
 */
function write(functions, entries) {
  return `import type { Library } from '../../lua-runtime/lua.library.js';
import * as L from '../../lua-runtime/lua.operations.js';
import type { LuaTable, Value } from '../../lua-runtime/lua.values.js';

/** What the scripts ask the store for. */
export type Command =
  ${[...COMMANDS].map((command) => `'${command}'`).join(' | ')};

/** A script: what it returns for its keys and arguments. */
export type CompiledScript = (KEYS: LuaTable, ARGV: LuaTable) => Value[];

/** The scripts by their SHA-1, on one library. */
export function compileScripts(G: Library): Readonly<Record<string, CompiledScript>> {
${functions.join('\n')}
return {
${entries.join('\n')}
};
}
`;
}

/**
 * @param {Part} part
 * @param {JsScope} scope
 */
function writePart({ name, body }, scope) {
  const [statement] = body;
  if (statement?.type !== 'FunctionDeclaration') throw new LuaSyntaxError(1, 'a part is one local function');
  const compiler = new JsCompiler();
  return `const ${scope.find(name)} = ${compiler.function(statement, scope)};`;
}

/**
 * @param {Script} script
 * @param {JsScope} scope
 */
function writeScript({ name, sha1, body }, scope) {
  const lambda = new JsCompiler().lambda(['KEYS: LuaTable', 'ARGV: LuaTable'], body, new JsScope(scope));
  return `// ${constantName(name)}\n'${sha1}': ${lambda},`;
}
