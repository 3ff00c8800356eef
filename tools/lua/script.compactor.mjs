import { tokenize } from './lua.parser.mjs';

/**
 * Leaves out comments, blank lines, indentation and superfluous spaces; strings stay as they are.
 * @param {string} source
 */
export function compactLua(source) {
  let text = '';
  let at = 0;
  for (const token of tokenize(source)) {
    const gap = source.slice(at, token.start);
    if (text && gap) text += gap.includes('\n') ? '\n' : ' ';
    text += token.text;
    at = token.end;
  }
  return text;
}
