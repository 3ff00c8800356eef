import { describe, expect, it } from 'vitest';
import { piecesOf, typedWordOf, visibleLines, visibleText } from './visible.text.js';

describe('visible text', () => {
  it.each([
    ['invoices', 'invoices'],
    ['<img src=x onerror=alert(1)>', '<img src=x onerror=alert(1)>'],
    ['a\u202egnp.exe', String.raw`a\u202egnp.exe`],
    ['a\u200b\u2066b', String.raw`a\u200b\u2066b`],
    ['a\u0000\u001b[31m', String.raw`a\u0000\u001b[31m`],
    ['two\nlines', String.raw`two\u000alines`],
    ['no\u00a0break', String.raw`no\u00a0break`],
    ['lone \ud800.', String.raw`lone \ud800.`],
    ['tag \u{e0041}.', String.raw`tag \u{e0041}.`],
    [' both ends ', String.raw`\u0020both ends\u0020`],
    ['שלום', 'שלום'],
    ['日本語 ✓ 🙂', '日本語 ✓ 🙂'],
  ])('shows %j with no character unseen', (text, expected) => {
    expect(visibleText(text)).toBe(expected);
  });

  it('keeps an escape apart from a name that has the same letters', () => {
    expect(piecesOf(String.raw`\u202e` + '\u202e')).toEqual([
      { text: String.raw`\u202e`, isEscape: false },
      { text: String.raw`\u202e`, isEscape: true },
    ]);
  });

  it('gives an empty name no piece', () => {
    expect(piecesOf('')).toEqual([]);
  });

  it('keeps the lines of a message', () => {
    expect(visibleLines('Error: a\u202e\r\n\tat b')).toBe(String.raw`Error: a\u202e` + '\n\tat b');
  });
});

describe('the word to type', () => {
  it('is the visible name', () => {
    expect(typedWordOf('a\u202eb')).toEqual({ word: String.raw`a\u202eb`, isWhole: true });
  });

  it('is the beginning of a name that is too long to type', () => {
    const { word, isWhole } = typedWordOf('x'.repeat(1024));
    expect(word).toHaveLength(16);
    expect(isWhole).toBe(false);
  });
});
