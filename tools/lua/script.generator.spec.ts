import { createHash } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { readPartFile } from './part.reader.mjs';
import { compactLua } from './script.compactor.mjs';
import { constantName, generateTypeScript } from './script.generator.mjs';
import { BODY, HEADER, PARTS } from './script.fixture.js';
import { readScript } from './script.reader.mjs';

describe('compactLua', () => {
  it('leaves out comments, blank lines and indentation', () => {
    expect(compactLua('-- head\n\nlocal a = 1   -- why\n  --[[ long\n comment ]]\n  return   a\n')).toBe(
      'local a = 1\nreturn a',
    );
  });

  it('leaves strings as they are', () => {
    const source = `return '-- no comment', "it's  --", 'a\\'--b', [==[\n  -- kept\n\n]] ]==]`;
    expect(compactLua(source)).toBe(source);
  });

  it('keeps what a block comment parts', () => {
    expect(compactLua('return--[[x]]1')).toBe('return 1');
  });
});

/** The constants of a generated file. */
function load(generated: string) {
  const options = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 };
  const exports: Record<string, { text: string; sha1: string }> = {};
  runInNewContext(ts.transpileModule(generated, { compilerOptions: options }).outputText, { exports });
  return exports;
}

describe('generateTypeScript', () => {
  const source = `-- Answers */ what it is told.
-- @key   lock  the lock's hash
-- @reply done  {1}
-- @repeat safe: it reads
local lock = KEYS[1]
return {redis.call('HGET', lock, '\`\${x}\\n')}
`;

  it('writes a text that TypeScript reads back unchanged', () => {
    const { script } = readScript('fair-lock/force-release', source);
    if (!script) throw new Error('the script was refused');
    const generated = generateTypeScript([script]);
    const constant = load(generated)['fairLockForceRelease'];
    expect(constant).toMatchObject({
      name: 'fair-lock/force-release',
      batch: false,
      keysPerOperation: 1,
      argsPerOperation: 0,
    });
    expect(constant?.text).toBe(script.text);
    expect(constant?.sha1).toBe(createHash('sha1').update(script.text).digest('hex'));
  });

  it('holds a part once, and puts it into every script that includes it', () => {
    const including = BODY.replace('redis.call', "if not positive(lease) then error('ERR') end\nredis.call");
    const scripts = ['one', 'two'].map((verb) => {
      const { script } = readScript(`kind/${verb}`, `${HEADER}-- @include positive\n${including}`, PARTS);
      if (!script) throw new Error('the script was refused');
      return script;
    });
    const generated = generateTypeScript(scripts, [...PARTS.values()]);
    expect(generated.split('local function positive')).toHaveLength(2);
    expect(generated).not.toContain('local function check');
    const constants = load(generated);
    expect(constants['kindTwo']?.text).toBe(scripts[1]?.text);
    expect(scripts[1]?.text).toContain('local function positive');
  });

  it('holds the parts that are public, beside the scripts', () => {
    const read = (name: string, tag: string) => {
      const file = `-- Answers \`1\`.\n${tag}local function ${name}()\n  return 1\nend\n`;
      const [part] = readPartFile('numbers.lua', file).parts;
      if (!part) throw new Error('the part was refused');
      return part;
    };
    const generated = generateTypeScript([], [read('one', ''), read('other', '-- @public\n')]);
    expect(generated).not.toContain('onePart');
    expect(generated).toContain(`
/**
 * Answers \`1\`.
 */
export const otherPart = \`local function other()
return 1
end\` as string;
`);
  });

  it('documents the positions, the keys that the script computes, and the replies', () => {
    const holds = "-- @derived {<lock>}:<holder>:<n>  a hold's key\n-- @reply";
    const { script } = readScript(
      'read/acquire',
      source.replace('-- @reply', () => holds),
    );
    if (!script) throw new Error('the script was refused');
    expect(generateTypeScript([script])).toContain(`
 * KEYS: lock.
 * Derived keys: \`{<lock>}:<holder>:<n>\` a hold's key
 * - \`done\`: {1}
 * Repeating it is safe: it reads
 */`);
  });

  it('names a constant by kind and verb', () => {
    expect(constantName('tick/claim')).toBe('tickClaim');
  });
});
