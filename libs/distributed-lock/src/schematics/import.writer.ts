import type { ImportStatement } from './import.reader.js';
import { NotUnderstood } from './parsed.source.js';
import type { SourceStyle } from './source.style.js';
import type { TextChange } from './text.change.js';

/**
 * Imports a name from a package, behind the last import of a package.
 * @returns nothing to change where it is imported already
 * @throws NotUnderstood where there is no import to stand behind, or the name means something else
 */
export function importName(
  name: string,
  from: string,
  statements: readonly ImportStatement[],
  style: SourceStyle,
): TextChange[] {
  for (const present of statements) {
    const found = present.names.find(({ local, original }) => local === name || original === name);
    if (found === undefined) continue;
    const { local, original, isType } = found;
    if (present.from === from && local === original && !isType) return [];
    throw new NotUnderstood(`${name} is imported from "${present.from}" in a way that does not fit`);
  }
  const isPackage = (statement: ImportStatement) => !statement.from.startsWith('.');
  const neighbour = statements.findLast(isPackage) ?? statements.at(-1);
  if (neighbour === undefined) throw new NotUnderstood('it has no import statements');
  const { quote, semicolon, lineEnd } = style;
  const text = `${lineEnd}import { ${name} } from ${quote}${from}${quote}${semicolon}`;
  return [{ start: neighbour.end, end: neighbour.end, text }];
}
