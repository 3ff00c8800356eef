/** How a file is written, so that what is added looks like the rest. */
export interface SourceStyle {
  readonly lineEnd: string;
  /** One step of indentation. */
  readonly step: string;
  readonly quote: string;
  readonly semicolon: string;
  /** What stands behind the last of several lines: a comma, or nothing. */
  readonly lastComma: string;
}

/** @param imports the file's import statements, which tell its quotes and semicolons */
export function readStyle(
  source: string,
  imports: readonly { readonly quote: string; readonly semicolon: boolean }[],
): SourceStyle {
  const indents = [...source.matchAll(/^(?<indent>[ \t]+)[^\s*]/gm)].map(
    ({ groups }) => groups?.['indent'] ?? '',
  );
  const [first] = indents.toSorted((a, b) => a.length - b.length);
  const lines = [...source.matchAll(/(?<comma>,?)[ \t]*\r?\n[ \t]*[)\]}]/g)];
  const withComma = lines.filter(({ groups }) => groups?.['comma'] === ',').length;
  return {
    lineEnd: source.includes('\r\n') ? '\r\n' : '\n',
    step: first?.startsWith('\t') === true ? '\t' : (first ?? '  '),
    quote: imports[0]?.quote ?? "'",
    semicolon: imports[0]?.semicolon === false ? '' : ';',
    lastComma: lines.length > 0 && withComma === 0 ? '' : ',',
  };
}

/** The white space that the line of a position begins with. */
export function indentAt(source: string, position: number): string {
  const line = source.lastIndexOf('\n', position - 1) + 1;
  return /^[ \t]*/.exec(source.slice(line))?.[0] ?? '';
}
