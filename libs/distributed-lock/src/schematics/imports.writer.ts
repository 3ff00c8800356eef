import { propertiesOf, type DecoratedModule, type ModuleList } from './module.reader.js';
import { indentAt, type SourceStyle } from './source.style.js';
import type { TextChange } from './text.change.js';
import type { TokenList } from './token.list.js';

/** An element to add, as lines that are indented against each other by steps of one tab. */
export type ElementLines = readonly string[];

/** Adds elements at the end of a module's `imports`, in the manner that prettier would write them. */
export function addImports(
  tokens: TokenList,
  module: DecoratedModule,
  elements: readonly ElementLines[],
  style: SourceStyle,
): TextChange[] {
  return module.imports === null
    ? [addProperty(tokens, module, elements, style)]
    : addElements(tokens, module.imports, elements, style);
}

function addProperty(
  tokens: TokenList,
  { open, close }: DecoratedModule,
  elements: readonly ElementLines[],
  style: SourceStyle,
): TextChange {
  const { source } = tokens;
  const { end } = tokens.at(open);
  const base = indentAt(source, end);
  const indent = base + style.step;
  const isEmpty = open + 1 === close;
  const next = source.slice(end, tokens.at(open + 1).start);
  const body = write(elements, indent + style.step, style);
  const property = `imports: [${body}${style.lineEnd}${indent}]`;
  // Where the next property stands on this line, it stays there.
  if (!isEmpty && !next.includes('\n')) return { start: end, end, text: ` ${property},` };
  const comma = isEmpty ? style.lastComma : ',';
  const text = `${style.lineEnd}${indent}${property}${comma}`;
  return isEmpty && next === ''
    ? { start: end, end, text: `${text}${style.lineEnd}${base}` }
    : { start: end, end, text };
}

function addElements(
  tokens: TokenList,
  list: ModuleList,
  elements: readonly ElementLines[],
  style: SourceStyle,
): TextChange[] {
  const { source } = tokens;
  const [from, to] = [tokens.at(list.open).end, tokens.at(list.close).start];
  const base = indentAt(source, from);
  const present = source.slice(from, to).includes('\n') ? null : readLine(tokens, list);
  if (present) {
    // One line becomes a line for each element.
    const body = write([...present, ...elements], base + style.step, style);
    return [{ start: from, end: to, text: `${body}${style.lineEnd}${base}` }];
  }
  const [first] = propertiesOf(tokens, list.open, list.close);
  const last = tokens.at(list.close - 1);
  const needsComma = first !== undefined && !tokens.isMark(list.close - 1, ',');
  const indent =
    first === undefined ? base + style.step : lineIndent(source, tokens.at(first).start, base + style.step);
  // A list without a comma behind its last element gets none.
  const body = write(elements, indent, needsComma ? { ...style, lastComma: '' } : style);
  const comments = source.slice(last.end, to).trimEnd();
  const text = `${needsComma ? ',' : ''}${comments}${body}${style.lineEnd}${base}`;
  return [{ start: last.end, end: to, text }];
}

/** The elements of a list that stands on one line; null where there are comments, which must keep their place. */
function readLine(tokens: TokenList, { open, close }: ModuleList): ElementLines[] | null {
  const starts = propertiesOf(tokens, open, close);
  const elements = starts.map((start, index) => {
    const next = starts[index + 1];
    const behind = next === undefined ? close : next - 1;
    const last = next === undefined && tokens.isMark(close - 1, ',') ? close - 2 : behind - 1;
    return tokens.source.slice(tokens.at(start).start, tokens.at(last).end);
  });
  const inside = tokens.source.slice(tokens.at(open).end, tokens.at(close).start);
  const bare = (text: string) => text.replaceAll(/[\s,]/g, '');
  return bare(inside) === bare(elements.join('')) ? elements.map((element) => [element]) : null;
}

/** The indentation of an element that begins its line. */
function lineIndent(source: string, position: number, otherwise: string): string {
  const indent = indentAt(source, position);
  const line = source.lastIndexOf('\n', position - 1) + 1;
  return line + indent.length === position ? indent : otherwise;
}

function write(elements: readonly ElementLines[], indent: string, style: SourceStyle): string {
  return elements
    .map((lines, index) => {
      const comma = index + 1 < elements.length ? ',' : style.lastComma;
      const text = lines.map(
        (line) => indent + line.replace(/^\t+/, (tabs) => style.step.repeat(tabs.length)),
      );
      return `${style.lineEnd}${text.join(style.lineEnd)}${comma}`;
    })
    .join('');
}
