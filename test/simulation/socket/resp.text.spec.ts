import { describe, expect, test } from 'vitest';
import { CommandReader, errorOf, mapOf, pushOf, replyOf } from './resp.text.js';

const COMMANDS = '*1\r\n$4\r\nPING\r\n*3\r\n$3\r\nSET\r\n$1\r\na\r\n$4\r\n\r\n*1\r\n';
const WORDS = [['PING'], ['SET', 'a', '\r\n*1']];

describe('the reader of commands', () => {
  test.each(Array.from({ length: COMMANDS.length + 1 }, (_, at) => at))(
    'reads them when the stream is cut after %i bytes',
    (at) => {
      const reader = new CommandReader();
      const pieces = [COMMANDS.slice(0, at), COMMANDS.slice(at)];
      expect(pieces.flatMap((piece) => reader.read(piece))).toEqual(WORDS);
    },
  );

  test('reads them byte by byte', () => {
    const reader = new CommandReader();
    expect([...COMMANDS].flatMap((byte) => reader.read(byte))).toEqual(WORDS);
  });

  test('counts bytes, not characters', () => {
    const reader = new CommandReader();
    expect(reader.read('*1\r\n$2\r\n\u00C3\u00BC\r\n')).toEqual([['\u00C3\u00BC']]);
  });

  test.each([
    ['the start of a command', 'PING\r\n', 'expected * and a number, got "PING'],
    ['the length of a word', '*1\r\n*4\r\nPING\r\n', 'expected $ and a number, got "*4'],
    ['the end of a word', '*1\r\n$4\r\nPINGS\r\n', 'expected the end of a word, got "S'],
  ])('refuses a stream that has lost %s, and shows where', (_what, bytes, message) => {
    expect(() => new CommandReader().read(bytes)).toThrow(message);
  });
});

describe('a reply', () => {
  test.each([
    [7, ':7\r\n', ':7\r\n'],
    ['ü', '$2\r\n\u00C3\u00BC\r\n', '$2\r\n\u00C3\u00BC\r\n'],
    [null, '$-1\r\n', '_\r\n'],
    [[1, ['a', null]], '*2\r\n:1\r\n*2\r\n$1\r\na\r\n$-1\r\n', '*2\r\n:1\r\n*2\r\n$1\r\na\r\n_\r\n'],
  ])('of %j has the bytes of its protocol', (value, two, three) => {
    expect([replyOf(value, 2), replyOf(value, 3)]).toEqual([two, three]);
  });

  test('that is none, and names with values, have a form of their own in version 3', () => {
    expect([pushOf(['message'], 2), pushOf(['message'], 3)]).toEqual([
      '*1\r\n$7\r\nmessage\r\n',
      '>1\r\n$7\r\nmessage\r\n',
    ]);
    expect([mapOf([['a', 1]], 2), mapOf([['a', 1]], 3)]).toEqual([
      '*2\r\n$1\r\na\r\n:1\r\n',
      '%1\r\n$1\r\na\r\n:1\r\n',
    ]);
  });

  test('with an error is one line', () => {
    expect(errorOf('ERR one\r\ntwo')).toBe('-ERR one  two\r\n');
  });
});
