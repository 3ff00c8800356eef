/**
 * What ends a line, moves a cursor, begins an escape sequence, turns the direction of the text, or is not seen at all: control and
 * format characters, the line ends of Unicode, half a surrogate pair, what is ignored by default, and what is no character.
 */
const UNPRINTABLE =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]/gu;

/**
 * Text for a message, a line of a log, or a terminal. Names of locks may come from users' input: they must not write lines of
 * their own there, nor look like another name. Such characters become `\u202e` and the like, which JSON reads as the same text.
 */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => {
    let escaped = '';
    for (let at = 0; at < character.length; at += 1)
      escaped += `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`;
    return escaped;
  });
}
