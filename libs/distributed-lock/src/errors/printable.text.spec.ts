import { describe, expect, test } from 'vitest';
import { LockUnavailableError } from './lock.errors.js';
import { printable } from './printable.text.js';

/** Every code point whose category, or property, lets it hide or move text. */
const HIDDEN =
  /^[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]$/u;

describe('text for people', () => {
  test('shows every character that cannot be seen, or that moves others, as an escape; and no other character', () => {
    const wrong: string[] = [];
    for (let code = 0; code <= 0x10ffff; code += 1) {
      const character = String.fromCodePoint(code);
      const shown = printable(character);
      const isEscaped = /^(?:\\u[0-9a-f]{4}){1,2}$/.test(shown);
      if (isEscaped !== HIDDEN.test(character)) wrong.push(code.toString(16));
    }
    expect(wrong).toEqual([]);
  });

  test.each([
    ['right-to-left override', 'a\u202eb', 'a\\u202eb'],
    ['zero-width space', 'a\u200bb', 'a\\u200bb'],
    ['byte order mark', '\ufeffa', '\\ufeffa'],
    ['soft hyphen', 'a\u00adb', 'a\\u00adb'],
    ['isolate', 'a\u2067b\u2069', 'a\\u2067b\\u2069'],
    ['Hangul filler', 'a\u3164b', 'a\\u3164b'],
    ['escape sequence', '\u001b[2J', '\\u001b[2J'],
    ['C1 control', '\u009b2J', '\\u009b2J'],
    ['tag character', 'a\u{e0041}', 'a\\udb40\\udc41'],
    ['half a surrogate pair', 'a\ud800b', 'a\\ud800b'],
    ['noncharacter', 'a\uffffb', 'a\\uffffb'],
    ['line separator', 'a\u2028b', 'a\\u2028b'],
  ])('%s', (_, text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  test.each(['orders:7', 'Straße', '注文', 'заказ', 'Ω≈ç√', '👍🏽', 'a b', 'x/y-z_{1}'])(
    '%s is left as it is',
    (text) => {
      expect(printable(text)).toBe(text);
    },
  );

  test('an escape in JSON is the same text to its reader', () => {
    const name = 'a\u202e\u{e0041}\u200bz';
    expect(JSON.parse(printable(JSON.stringify({ name })))).toEqual({ name });
  });

  test('a message has the escape, and the property of the error the name', () => {
    const error = new LockUnavailableError('a\u202eb', 'Lock "a\u202eb" was not granted.');
    expect(error.message).toContain('Lock "a\\u202eb"');
    expect(error.stack).not.toContain('\u202e');
    expect(error.lock).toBe('a\u202eb');
  });
});
