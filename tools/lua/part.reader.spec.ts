import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { BODY, HEADER, PARTS, problemsOf, problemsOfParts } from './script.fixture.js';
import { readPartFile } from './part.reader.mjs';
import { readScript, readScripts } from './script.reader.mjs';

const PART = `-- Refuses a lease.
local function check(lease)
  if not positive(lease) then error({err = 'ERR'}) end
end
`;
const USING = BODY.replace('return {1}', 'check(lease)\nreturn {1}');
const including = (...lines: string[]): string =>
  HEADER.replace('-- @key', `${lines.map((line) => `-- @include ${line}\n`).join('')}-- @key`);

test('a part is known by its text and by the other parts that it calls', () => {
  expect(problemsOfParts(PART)).toEqual([]);
  expect(PARTS.get('check')?.needs).toEqual(new Set(['positive']));
  expect(PARTS.get('positive')).toMatchObject({
    file: 'numbers.lua',
    line: 4,
    text: 'local function positive(number)\nreturn number > 0\nend',
    description: ['Whether a number is above 0.'],
    needs: new Set(),
  });
});

test('a part below another one has its own comment, and its problems have the lines of the file', () => {
  const { parts, problems } = readPartFile(
    'leases.lua',
    `${PART}\n-- Refuses a time.\nlocal function late() end\n`,
    ['positive'],
  );
  expect(problems).toEqual([]);
  expect(parts.map(({ name, description }) => [name, description])).toEqual([
    ['check', ['Refuses a lease.']],
    ['late', ['Refuses a time.']],
  ]);
  expect(problemsOfParts(`${PART}\n-- Refuses a time.\nlocal function late() return now end\n`)).toEqual([
    '7 "now" is not defined',
  ]);
});

test.each([
  ['that does not say what it does', '-- Refuses a lease.\n', '', /^1 no comment right above "check" says/],
  ['whose comment is not right above it', 'lease.\n', 'lease.\n\n', /^3 no comment right above "check" says/],
  ['that has a declaration', '-- Refuses', '-- @arg lease in ms\n-- Refuses', /^1 a part declares nothing/],
  [
    'that is public and calls another one',
    '-- Refuses a lease.',
    '-- Refuses a lease.\n-- @public',
    /^3 a public part stands on its own, and cannot call "positive"$/,
  ],
  ['that is defined twice', /$/, '-- Again.\nlocal function check() end\n', /^6 "check" is defined twice$/],
  ['that reads a key', '(lease) then', '(KEYS[1]) then', /^3 a part has no KEYS: hand it/],
  ['that counts arguments', '(lease) then', '(#ARGV) then', /^3 a part has no ARGV: hand it/],
  ['that binds an argument', '  if', '  local lock = ARGV[1]\n  if', /^3 a part has no ARGV: hand it/],
  ['that reads an unknown name', '(lease) then', '(lock) then', /^3 "lock" is not defined$/],
  ['that assigns a global', '  if', '  seen = 1\n  if', /^3 "seen" is assigned but not local$/],
  ['that lists all keys', '  if', "  redis.call('KEYS', lease)\n  if", /^3 the command KEYS is forbidden/],
])('a part is refused %s', (_case, from, to, expected) => {
  expect(PART).toMatch(from);
  expect(problemsOfParts(PART.replace(from, to))).toContainEqual(expect.stringMatching(expected));
});

test.each([
  ['that does something by itself', /$/, 'check(1)\n', /^5 a file of parts has local functions, and nothing/],
  ['without a part', /local[\s\S]*/, '', /^1 the file has no part$/],
  ['that is no Lua', 'then', 'than', /^3 'then' expected near 'than'$/],
  ['with an unknown character', 'then', '? then', /^3 unexpected symbol '\?'/],
])('a file of parts is refused %s', (_case, from, to, expected) => {
  expect(problemsOfParts(PART.replace(from, to))).toContainEqual(expect.stringMatching(expected));
});

test.each([
  ['in one line', ['positive check']],
  ['in many lines', ['positive', 'check']],
])('parts that are included %s stand in front of the body, in their order', (_case, lines) => {
  const { script, problems } = readScript('reentrant/acquire', including(...lines) + USING, PARTS);
  expect(problems).toEqual([]);
  expect(script?.text.split('\n').filter((line) => line.startsWith('local'))).toEqual([
    'local function positive(number)',
    'local function check(number)',
    'local lock = KEYS[1]',
    'local holder = ARGV[1]',
    'local lease = tonumber(ARGV[2])',
  ]);
});

test.each([
  ['includes nothing by name', including(''), USING, /^3 @include names parts of lua\/parts\/$/],
  [
    'includes what there is not',
    including('whole'),
    BODY,
    /^3 @include names "whole": lua\/parts\/ has no such part/,
  ],
  [
    'includes a part twice',
    including('positive check', 'positive'),
    USING,
    /^4 "positive" is included twice$/,
  ],
  ['never uses what it includes', including('positive'), BODY, /^3 "positive" is included but never used$/],
  [
    'includes a part behind the one that calls it',
    including('check', 'positive'),
    USING,
    /^3 "check" calls "positive": include that before it$/,
  ],
  ['leaves out a part that another one calls', including('check'), USING, /^3 "check" calls "positive"/],
  [
    'uses a part that it does not include',
    HEADER,
    USING,
    /^13 "check" is a part that the header does not list/,
  ],
  [
    'has a function of its own in the place of a part',
    including('positive'),
    `local function positive() end\npositive()\n${BODY}`,
    /^3 "positive" is included but never used$/,
  ],
])('a script is refused that %s', (_case, header, body, expected) => {
  expect(problemsOf(header + body)).toContainEqual(expect.stringMatching(expected));
});

test('a folder is read with its parts, and problems are reported by file and line', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lua-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const put = async (file: string, text: string) => {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text);
  };
  await put('parts/leases.lua', PART.replace('check', 'checkIt'));
  await put('parts/numbers.lua', '-- Yes.\nlocal function positive()\n  return true\nend\n');
  await put('reentrant/acquire.lua', including('positive checkIt') + USING.replace('check', 'checkIt'));
  const { scripts, refusals } = await readScripts(folder);
  expect(refusals).toEqual([]);
  expect(scripts.map(({ name }) => name)).toEqual(['reentrant/acquire']);
  expect(scripts[0]?.text).toMatch(/^local function positive\(\)\nreturn true\nend\nlocal function checkIt/);

  await put('parts/numbers.lua', '-- Yes.\nlocal function positive()\n  return yes\nend\n');
  await put('parts/more.lua', '-- No.\nlocal function checkIt()\n  return false\nend\n');
  await put('parts/notes.txt', 'later');
  expect((await readScripts(folder)).refusals).toEqual([
    'lua/parts/more.lua:2 "checkIt" is defined in another file, too',
    'lua/parts/notes.txt:1 parts stand in a file <family>.lua in lower case',
    'lua/parts/numbers.lua:3 "yes" is not defined',
    'lua/reentrant/acquire.lua:3 @include names "positive": lua/parts/ has no such part, or a refused one',
  ]);
});
