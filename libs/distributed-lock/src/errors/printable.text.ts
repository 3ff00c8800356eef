/** What ends a line, moves a cursor or begins an escape sequence: control characters, and the two line ends of Unicode. */
const CONTROL = /[\p{Cc}\u2028\u2029]/gu;

/**
 * Text for a message or a line of a log. Names of locks may come from users' input, and must not be able to write lines of
 * their own there: control characters become `\u000a` and the like.
 */
export function printable(text: string): string {
  return text.replace(
    CONTROL,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
}
