/**
 * @param {import('typescript').SourceFile} source
 * @param {number} position
 * @returns {number} its line, from 1 on
 */
export function lineOf(source, position) {
  return source.getLineAndCharacterOfPosition(position).line + 1;
}
