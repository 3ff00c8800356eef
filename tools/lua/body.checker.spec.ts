import { describe, expect, it } from 'vitest';
import {
  BATCH_BODY,
  BATCH_HEADER,
  BODY,
  HEADER,
  OPEN_BODY,
  OPEN_HEADER,
  problemsOf,
} from './script.fixture.js';

describe('a body is refused', () => {
  it.each([
    [
      'that reads an undeclared key',
      'local lock = KEYS[1]',
      'local hash = KEYS[1]',
      /^8 "hash" is read from KEYS but/,
    ],
    [
      'that does not read a declared key',
      'local lock = KEYS[1]',
      'local lock = redis',
      /^3 "lock" is declared but the body has no "local lock = KEYS/,
    ],
    [
      'that reads an undeclared argument',
      'local holder = ARGV[1]',
      'local who = ARGV[1]',
      /^9 "who" is read from ARGV but/,
    ],
    [
      'that does not read a declared argument',
      'local holder = ARGV[1]',
      'local holder = 1',
      /^4 "holder" is declared but the body has no "local holder = ARGV/,
    ],
    [
      'that reads a key as an argument',
      'local lock = KEYS[1]',
      'local lock = ARGV[1]',
      /^8 "lock" is read from ARGV but/,
    ],
    [
      'that reads a wrong position',
      'local holder = ARGV[1]',
      'local holder = ARGV[2]',
      /^9 "holder" reads ARGV\[2\], but the header puts it at ARGV\[1\]$/,
    ],
    [
      'whose position cannot be told',
      'ARGV[1]',
      'ARGV[tonumber(lock)]',
      /^9 the position of "holder" in ARGV cannot be computed/,
    ],
    [
      'that uses a key without a name',
      "'PEXPIRE', lock",
      "'PEXPIRE', KEYS[1]",
      /^12 KEYS\[\.\.\.\] is not bound to a declared name/,
    ],
    [
      'that binds two arguments at once',
      'tonumber(ARGV[2])',
      'ARGV[2] .. ARGV[1]',
      /^10 ARGV\[\.\.\.\] is not bound/,
    ],
    ['that hands on all its keys', 'return {1}', 'return unpack(KEYS)', /^13 KEYS is read as a whole/],
    ['that measures a key', 'return {1}', 'return #KEYS[1]', /^13 KEYS\[\.\.\.\] is not bound/],
    [
      'that names a key by a literal',
      "'PEXPIRE', lock",
      "'PEXPIRE', 'a' .. ':b'",
      /^12 PEXPIRE names its key by a literal/,
    ],
    [
      'that names a key by a literal behind a subcommand',
      'return {1}',
      "return redis.call('object', 'freq', 'a')",
      /^13 OBJECT names its key by a literal/,
    ],
    [
      'that lists all keys',
      'return {1}',
      "return redis.pcall('keys', lock)",
      /^13 the command KEYS is forbidden/,
    ],
    [
      'that assigns a global',
      'return {1}',
      'count = 1\nreturn {1}',
      /^13 "count" is assigned but not local$/,
    ],
    [
      'that assigns a global inside a function',
      'return {1}',
      'local function f() n = 1 end\nreturn {1}',
      /^13 "n" is assigned but not local$/,
    ],
    [
      'that declares a global function',
      'return {1}',
      'function f() end\nreturn {1}',
      /^13 make the function "f" local/,
    ],
    ['that reads an unknown name', 'return {1}', 'return {lok}', /^13 "lok" is not defined$/],
    [
      'that uses a local outside its block',
      'return {1}',
      'do local a = 1 end\nreturn a',
      /^14 "a" is not defined$/,
    ],
    ['that is no Lua', 'return {1}', 'return {1', /^14 '}' expected near '<eof>'$/],
    ['with an unknown character', 'return {1}', 'return 1 ! 2', /^13 unexpected symbol '!' near/],
    [
      'with a string that never ends',
      'return {1}',
      'return [[a',
      /^14 unfinished long string \(starting at line 13\)/,
    ],
    [
      'with a call that has no parentheses',
      'return {1}',
      "return redis.call 'PING'",
      /^13 write the argument of a call in parentheses$/,
    ],
  ])('%s', (_case, from, to, expected) => {
    expect(BODY).toContain(from);
    expect(problemsOf(HEADER + BODY.replace(from, to))).toContainEqual(expect.stringMatching(expected));
  });

  it.each([
    [
      'whose groups overlap',
      '(i - 1) * 2 + 1',
      '(i - 1) + 1',
      /"holder" reads ARGV\[3\] in the second operation, but the header puts it at ARGV\[4\]/,
    ],
    [
      'that forgets the shared arguments',
      '(i - 1) * 2 + 1',
      '(i - 1) * 2',
      /"holder" reads ARGV\[1\], but the header puts it at ARGV\[2\]/,
    ],
    [
      'that moves a shared argument',
      'publish = ARGV[1]',
      'publish = ARGV[2]',
      /"publish" reads ARGV\[2\], but/,
    ],
    ['whose keys overlap', 'KEYS[i * 2]', 'KEYS[i + 1]', /"queue" reads KEYS\[3\] in the second operation/],
  ])('%s', (_case, from, to, expected) => {
    expect(BATCH_BODY).toContain(from);
    expect(problemsOf(BATCH_HEADER + BATCH_BODY.replace(from, to))).toContainEqual(
      expect.stringMatching(expected),
    );
  });

  it.each([
    [
      'that takes other keys under another name',
      'local others',
      'local rest',
      /^9 "rest" is read from KEYS but the header declares no @keys of that name$/,
    ],
    [
      'that never takes its other keys',
      'local others = {unpack(KEYS, 2)}',
      'local others = {}',
      /^3 "others" is declared but the body has no "local others = \{unpack\(KEYS, 2\)\}"$/,
    ],
    [
      'that never takes its other arguments',
      'local more = {unpack(ARGV, 2)}',
      'local more = {}',
      /^5 "more" is declared but the body has no "local more = \{unpack\(ARGV, 2\)\}"$/,
    ],
    [
      'that takes declared keys for other ones',
      'KEYS, 2',
      'KEYS, 1',
      /^9 "others" begins behind the declared positions: write \{unpack\(KEYS, 2\)\}$/,
    ],
    ['that takes all arguments', 'ARGV, 2', 'ARGV', /^11 "more" begins behind the declared positions/],
    [
      'that begins where only the caller knows',
      'ARGV, 2',
      'ARGV, field',
      /^11 "more" begins behind the declared positions/,
    ],
    ['that takes them without a table', '{unpack(KEYS, 2)}', 'unpack(KEYS, 2)', /^9 KEYS is read as a whole/],
    ['that ends them', 'ARGV, 2)}', 'ARGV, 2), 1}', /^11 ARGV is read as a whole/],
  ])('%s', (_case, from, to, expected) => {
    expect(OPEN_BODY).toContain(from);
    expect(problemsOf(OPEN_HEADER + OPEN_BODY.replace(from, to))).toContainEqual(
      expect.stringMatching(expected),
    );
  });
});
