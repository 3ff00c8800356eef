import { describe, expect, test } from 'vitest';
import { libraryOn } from '../../libs/distributed-lock/src/lua-runtime/lua.library.js';
import * as operations from '../../libs/distributed-lock/src/lua-runtime/lua.operations.js';
import { LuaError, LuaTable, type Value } from '../../libs/distributed-lock/src/lua-runtime/lua.values.js';
import ts from 'typescript';
import { JsCompiler } from './js.compiler.mjs';
import { JsScope } from './js.scope.mjs';
import { generateMemoryScripts } from './memory.generator.mjs';
import { readScript } from './script.reader.mjs';
import { HEADER } from './script.fixture.js';
import { parseLua } from './lua.parser.mjs';

/** What a chunk of Lua returns, compiled. */
function run(lua: string): unknown[] {
  const lambda = new JsCompiler().lambda([], parseLua(lua), new JsScope(null));
  const js = ts.transpile(`const chunk = ${lambda};`, { target: ts.ScriptTarget.ES2023 });
  const library = libraryOn(() => undefined);
  const compiled: unknown = new Function('L', 'G', `${js}\nreturn chunk;`)(operations, library);
  if (typeof compiled !== 'function') throw new Error(js);
  return [...(compiled() as Value[])].map(plain);
}

function plain(value: Value): unknown {
  return value instanceof LuaTable ? value.items().map(plain) : value;
}

describe('compiled Lua', () => {
  test.each<[string, string, unknown[]]>([
    ['only nil and false are false', 'return 0 and 1, "" and 2, nil or 3, false or 4', [1, 2, 3, 4]],
    ['a loop counts from 1 to the length', 'local s = 0 for i = 1, #{7, 8} do s = s + i end return s', [3]],
    ['a loop counts down', 'local t = {} for i = 3, 1, -1 do t[#t + 1] = i end return t', [[3, 2, 1]]],
    ['ipairs ends at nil', 'local n = 0 for _ in ipairs({1, 2, nil, 4}) do n = n + 1 end return n', [2]],
    [
      'a break leaves one loop',
      'local n = 0 while true do n = n + 1 if n == 3 then break end end return n',
      [3],
    ],
    [
      'repeat sees the locals of its body',
      'local n = 0 repeat n = n + 1 local e = n > 4 until e return n',
      [5],
    ],
    [
      'the last call of a list gives all of its values',
      'local function f() return 1, 2 end return {f(), f()}',
      [[1, 1, 2]],
    ],
    ['parentheses leave the first value', 'local function f() return 1, 2 end return {(f())}', [[1]]],
    [
      'the parentheses of arguments, and those in comments, leave all values',
      'local function f(a, b) return a, b end return {f(f(1, 2) --[[)]])}, {f((f(1, 2)))}',
      [[1, 2], [1]],
    ],
    ['a bracket in a text leaves all values', 'local function f() return 1, ")" end return f()', [1, ')']],
    ['a return in parentheses gives the first value', 'local function f() return 1, 2 end return (f())', [1]],
    ['a local may have the name of the one it hides', 'local a = 1 do local a = a + 1 return a end', [2]],
    ['several are assigned at once', 'local a, b = 1, 2 a, b = b, a return a, b', [2, 1]],
    [
      'numbers become text with 14 digits',
      'return 1e15 .. "", 0.1 .. "", 12345678901234.5 .. ""',
      ['1e+15', '0.1', '12345678901234'],
    ],
    ['a text of digits counts', 'return "10" + 5, "0x10" * 1', [15, 16]],
    ['the rest has the sign of the divisor', 'return -5 % 3, 5 % -3', [1, -1]],
    ['texts are compared by their bytes', 'return "Z" < "a", "a" < "ä"', [true, true]],
    [
      'an error is caught with its value',
      'local ok, e = pcall(error, {err = "x"}) return ok, e.err',
      [false, 'x'],
    ],
    [
      'a format rounds halves to the even number',
      'return string.format("%.0f %.0f %d %02x", 2.5, 3.5, -1.9, 10)',
      ['2 4 -1 0a'],
    ],
    [
      'a format makes the least integer of what is none',
      'return string.format("%d %d", tonumber("nan"), 1e21)',
      ['-9223372036854775808 -9223372036854775808'],
    ],
    ['a pattern gives its captures', 'return string.match("-12:7", "^(%-?%d+):?(%d*)$")', ['-12', '7']],
    ['a text is cut at its bytes', 'return string.sub("äb", -1), #"äb"', ['b', 3]],
    [
      'JSON has 14 digits and escaped slashes',
      'return cjson.encode({1, "a/b", 0.1, 123456789012345})',
      ['[1,"a\\/b",0.1,1.2345678901234e+14]'],
    ],
  ])('%s', (_rule, lua, expected) => {
    expect(run(lua)).toEqual(expected);
  });

  test('what is no number is an error of its own', () => {
    const [ran, message] = run('return pcall(function() return nil + 1 end)');
    expect(ran).toBe(false);
    expect(message).toContain('attempt to perform arithmetic on a nil value');
  });

  test('an uncaught error leaves the script', () => {
    expect(() => run('error({err = "ERR no"})')).toThrow(LuaError);
  });
});

describe('what the compiler does not know is refused with its script and line', () => {
  test.each([
    ['a command', "redis.call('GEOADD', lock, holder)", 'the memory store has no GEOADD'],
    ['a function of the library', 'local x = math.random(lease)', '"math.random" is not supported'],
    ['a pattern', "local x = string.match(holder, '%bxy')", '"%b" in the pattern "%bxy" is not supported'],
    [
      'a pattern that is not written out',
      'local x = string.match(holder, lease)',
      'the pattern of string.match is no literal',
    ],
    ['a format', "local x = string.format('%5.1f', lease)", 'string.format needs a literal of'],
    ['a method', 'local x = holder:len()', 'a call with a colon is not supported'],
  ])('%s', (_what, line, message) => {
    const body = `local lock = KEYS[1]\nlocal holder = ARGV[1]\nlocal lease = ARGV[2]\n${line}\nreturn {lock, lease}\n`;
    const { script, problems } = readScript('kind/verb', HEADER + body);
    expect(problems).toEqual([]);
    const { refusals } = generateMemoryScripts(script === null ? [] : [script], []);
    const at = HEADER.split('\n').length + 3;
    expect(refusals).toEqual([expect.stringContaining(`lua/kind/verb.lua:${at} ${message}`)]);
  });
});
