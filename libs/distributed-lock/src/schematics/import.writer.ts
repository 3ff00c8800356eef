import { NotUnderstood } from './module.reader.js';
import type { ImportStatement } from './import.reader.js';
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
  const present = statements.find(({ words }) => words.includes(name));
  if (present && (present.from !== from || present.words[0] === 'type' || isRenamed(present, name)))
    throw new NotUnderstood(`${name} is imported from "${present.from}" in a way that does not fit`);
  if (present) return [];
  const isPackage = (statement: ImportStatement) => !statement.from.startsWith('.');
  const neighbour = statements.findLast(isPackage) ?? statements.at(-1);
  if (neighbour === undefined) throw new NotUnderstood('it has no import statements');
  const { quote, semicolon, lineEnd } = style;
  const text = `${lineEnd}import { ${name} } from ${quote}${from}${quote}${semicolon}`;
  return [{ start: neighbour.end, end: neighbour.end, text }];
}

/** Whether the name is one only inside of the import: `Name as Other`, or `Other as Name`. */
function isRenamed({ words }: ImportStatement, name: string): boolean {
  const at = words.indexOf(name);
  return words[at + 1] === 'as' || words[at - 1] === 'as';
}
