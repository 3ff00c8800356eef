import { describe, expect, it } from 'vitest';
import { BODY, HEADER, problemsOf } from './script.fixture.js';

describe('a header is refused', () => {
  it.each([
    ['without a description', '-- Takes a lock.\n', '', /^1 the header does not say what the script does$/],
    ['without replies', '-- @reply granted {1}\n', '', /^1 @reply is missing/],
    [
      'without a word on repeating',
      '-- @repeat safe: it names the state to reach\n',
      '',
      /^1 @repeat is missing/,
    ],
    ['with a repeat that gives no reason', 'safe: it names the state to reach', 'safe', /^7 @repeat says/],
    [
      'with a key declared twice',
      '-- @arg   holder',
      '-- @key   lock    again\n-- @arg   holder',
      /^4 "lock" is declared twice$/,
    ],
    [
      'with a key and an argument of one name',
      '-- @arg   holder',
      '-- @arg   lock    again\n-- @arg   holder',
      /^4 "lock" is declared twice$/,
    ],
    [
      'with a reply declared twice',
      '-- @repeat',
      '-- @reply granted {1}\n-- @repeat',
      /^7 "granted" is declared twice$/,
    ],
    [
      'with a repeat declared twice',
      '-- @repeat safe',
      '-- @repeat safe: yes\n-- @repeat safe',
      /^8 @repeat is declared twice$/,
    ],
    [
      'with a batch declared twice',
      '-- @key',
      '-- @batch\n-- @batch\n-- @key',
      /^4 @batch is declared twice$/,
    ],
    ['with an unknown declaration', '-- @key', '-- @kye x y\n-- @key', /^3 unknown declaration @kye$/],
    [
      'with a declaration that says nothing',
      "the lock's hash",
      '',
      /^3 @key needs a name and a description$/,
    ],
    [
      'with shared arguments but no batch',
      '-- @arg   holder',
      '-- @shared holder',
      /^4 @shared is for scripts with @batch/,
    ],
    [
      'with a derived key that says nothing',
      '-- @key',
      '-- @derived {<lock>}:<holder>\n-- @key',
      /^3 @derived needs a pattern and a description$/,
    ],
    [
      'with a derived key declared twice',
      '-- @key',
      '-- @derived a:<n> one\n-- @derived a:<n> more\n-- @key',
      /^4 "a:<n>" is declared twice$/,
    ],
  ])('%s', (_case, from, to, expected) => {
    expect(HEADER).toContain(from);
    expect(problemsOf(HEADER.replace(from, to) + BODY)).toContainEqual(expect.stringMatching(expected));
  });

  it.each([
    ['with other keys declared twice', '-- @keys a one\n-- @keys b two\n', /^4 @keys is declared twice$/],
    [
      'with other arguments declared twice',
      '-- @args a one\n-- @args b two\n',
      /^4 @args is declared twice$/,
    ],
    ['with other keys that have the name of a key', '-- @keys lock again\n', /^3 "lock" is declared twice$/],
    [
      'with other keys in a batch',
      '-- @batch\n-- @keys a one\n',
      /^4 @keys and @args are for scripts without/,
    ],
  ])('%s', (_case, lines, expected) => {
    expect(problemsOf(HEADER.replace('-- @key', `${lines}-- @key`) + BODY)).toContainEqual(
      expect.stringMatching(expected),
    );
  });

  it('with a batch that has no key', () => {
    const source = '-- Waits.\n-- @batch\n-- @reply done {1}\n-- @repeat safe: reads\nreturn {1}\n';
    expect(problemsOf(source)).toEqual([expect.stringContaining('@batch needs a @key')]);
  });
});
