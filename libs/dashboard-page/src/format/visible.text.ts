/** A piece of a text: as it is, or the escape that stands for a character which cannot be seen. */
export interface TextPiece {
  readonly text: string;
  readonly isEscape: boolean;
}

/**
 * Control and format characters (those that change the direction of a text among them), line separators, lone surrogates, private
 * characters, spaces other than U+0020 and those at both ends, and letters without a shape.
 */
const UNSEEN =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\u{115f}\u{1160}\u{2800}\u{3164}\u{ffa0}]|(?! )\p{Zs}|^ +| +$/gu;

/** The same, but line breaks and tabs stay: for an error message. */
const UNSEEN_IN_LINES = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/gu;

/** Splits a name so that each character in it that cannot be seen has an escape like `\u202e` of its own. */
export function piecesOf(text: string): readonly TextPiece[] {
  const pieces: TextPiece[] = [];
  let from = 0;
  for (const { 0: unseen, index } of text.matchAll(UNSEEN)) {
    if (index > from) pieces.push({ text: text.slice(from, index), isEscape: false });
    pieces.push({ text: escapeOf(unseen), isEscape: true });
    from = index + unseen.length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), isEscape: false });
  return pieces;
}

/** A name in one string of visible characters. */
export function visibleText(text: string): string {
  return text.replaceAll(UNSEEN, escapeOf);
}

/** A message of several lines, in visible characters. */
export function visibleLines(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(UNSEEN_IN_LINES, escapeOf);
}

/** The most characters of a name that a person has to type. */
const TYPED = 48;

/** What has to be typed to confirm an action on a name: its visible form, or the beginning of a long one. */
export function typedWordOf(name: string): { readonly word: string; readonly isWhole: boolean } {
  const visible = visibleText(name);
  if (visible.length <= TYPED) return { word: visible, isWhole: true };
  return { word: visible.slice(0, 16).trimEnd(), isWhole: false };
}

function escapeOf(unseen: string): string {
  return Array.from(unseen, (character) => {
    const code = character.codePointAt(0) ?? 0;
    const digits = code.toString(16);
    return code > 0xffff ? `\\u{${digits}}` : `\\u${digits.padStart(4, '0')}`;
  }).join('');
}
