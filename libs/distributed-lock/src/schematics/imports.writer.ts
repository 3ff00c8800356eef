import type ts from 'typescript';
import type { DecoratedModule } from './module.reader.js';
import { indentAt, type SourceStyle } from './source.style.js';
import type { TextChange } from './text.change.js';

/** An element to add, as lines that are indented against each other by steps of one tab. */
export type ElementLines = readonly string[];

/** Adds elements at the end of a module's `imports`, in the manner that prettier would write them. */
export function addImports(
  file: ts.SourceFile,
  { metadata, imports }: DecoratedModule,
  elements: readonly ElementLines[],
  style: SourceStyle,
): TextChange {
  return imports === null
    ? addProperty(file, metadata, elements, style)
    : addElements(file, imports, elements, style);
}

function addProperty(
  file: ts.SourceFile,
  { properties, end: behind }: ts.ObjectLiteralExpression,
  elements: readonly ElementLines[],
  style: SourceStyle,
): TextChange {
  const [first] = properties;
  const end = properties.pos;
  const base = indentAt(file.text, end);
  const indent = base + style.step;
  const next = file.text.slice(end, first?.getStart(file) ?? behind - 1);
  const body = write(elements, indent + style.step, style);
  const property = `imports: [${body}${style.lineEnd}${indent}]`;
  // Where the next property stands on this line, it stays there.
  if (first && !next.includes('\n')) return { start: end, end, text: ` ${property},` };
  const comma = first ? ',' : style.lastComma;
  const text = `${style.lineEnd}${indent}${property}${comma}`;
  return !first && next === ''
    ? { start: end, end, text: `${text}${style.lineEnd}${base}` }
    : { start: end, end, text };
}

function addElements(
  file: ts.SourceFile,
  { elements: present, end }: ts.ArrayLiteralExpression,
  elements: readonly ElementLines[],
  style: SourceStyle,
): TextChange {
  const source = file.text;
  const [from, to] = [present.pos, end - 1];
  const base = indentAt(source, from);
  const inside = source.slice(from, to);
  const texts = present.map((element) => element.getText(file));
  if (!inside.includes('\n') && bare(inside) === bare(texts.join(''))) {
    // One line becomes a line for each element. Comments must keep their place.
    const lines = [...texts.map((text) => [text]), ...elements];
    return { start: from, end: to, text: `${write(lines, base + style.step, style)}${style.lineEnd}${base}` };
  }
  const [first] = present;
  const needsComma = first !== undefined && !present.hasTrailingComma;
  const step = base + style.step;
  const indent = first === undefined ? step : lineIndent(source, first.getStart(file), step);
  // A list without a comma behind its last element gets none.
  const body = write(elements, indent, needsComma ? { ...style, lastComma: '' } : style);
  const comments = source.slice(present.end, to).trimEnd();
  const text = `${needsComma ? ',' : ''}${comments}${body}${style.lineEnd}${base}`;
  return { start: present.end, end: to, text };
}

function bare(text: string): string {
  return text.replaceAll(/[\s,]/g, '');
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
