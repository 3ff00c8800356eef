import ts from 'typescript';
import { lineOf } from './source.line.mjs';
import { checkMachine } from './machine.rules.mjs';
import { checkStoreys } from './storey.rules.mjs';
import { checkWords } from './word.rules.mjs';

/** @typedef {{ file: string, line: number, message: string }} Finding */

const DISABLED = /(?:oxlint|eslint)-disable(?!.* -- \S)/;
/** The faces of the package: its own, and those of its subpaths. */
const BARREL = /\/src\/(?:(?:dashboard|health|metrics|testing|tracing)\/)?index\.ts$/;
const TS_COMMENT = /@ts-(?:ignore|nocheck|expect-error)/;
const EXPLAINED = /@ts-expect-error:? +\S+ \S+/;

/**
 * What the linter has no rule for: imports that go up, private words, clocks and randomness beside the machine, double assertions, unexplained suppressions, barrels.
 * @param {string} file its path from the root, with slashes
 * @param {string} text
 * @returns {Finding[]}
 */
export function checkSource(file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const isTest = file.endsWith('.spec.ts') || file.startsWith('test/');
  return [
    ...checkStoreys(source, file),
    ...checkWords(source, file),
    ...checkMachine(source, file),
    ...checkComments(source, file, isTest),
    ...(isTest ? [] : checkAssertions(source, file)),
    ...(file.startsWith('libs/') && !BARREL.test(file) ? checkBarrel(source, file) : []),
  ];
}

/**
 * @param {ts.SourceFile} source
 * @param {string} file
 * @param {boolean} isTest
 */
function checkComments(source, file, isTest) {
  /** @type {Finding[]} */
  const findings = [];
  for (const { start, text } of commentsOf(source)) {
    /** @param {string} message */
    const find = (message) => findings.push({ file, line: lineOf(source, start), message });
    if (DISABLED.test(text)) find('suppression rule: a disabled lint rule says why, after " -- "');
    if (!TS_COMMENT.test(text)) continue;
    if (!isTest) find('suppression rule: no @ts comments outside tests');
    else if (!EXPLAINED.test(text)) find('suppression rule: only @ts-expect-error, with a reason');
  }
  return findings;
}

/**
 * @param {ts.SourceFile} source
 * @param {string} file
 */
function checkAssertions(source, file) {
  /** @type {Finding[]} */
  const findings = [];
  /** @param {ts.Node} node */
  const visit = (node) => {
    if (ts.isAsExpression(node) && ts.isAsExpression(node.expression)) {
      const inner = node.expression.type.kind;
      if (inner === ts.SyntaxKind.UnknownKeyword || inner === ts.SyntaxKind.NeverKeyword) {
        findings.push({
          file,
          line: lineOf(source, node.getStart()),
          message: 'assertion rule: no "as unknown as"',
        });
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return findings;
}

/**
 * @param {ts.SourceFile} source
 * @param {string} file
 * @returns {Finding[]}
 */
function checkBarrel(source, file) {
  const reExports = source.statements.filter((node) => ts.isExportDeclaration(node) && node.moduleSpecifier);
  const isBarrel =
    file.endsWith('/index.ts') || (reExports.length > 0 && reExports.length === source.statements.length);
  const star = reExports.some((node) => ts.isExportDeclaration(node) && !node.exportClause);
  if (!isBarrel && !star) return [];
  return [
    {
      file,
      line: 1,
      message: 'barrel rule: only src/index.ts, and that of a subpath, hands on what other files declare',
    },
  ];
}

/**
 * Every comment, wherever it stands.
 * @param {ts.SourceFile} source
 */
function commentsOf(source) {
  /** @type {Map<number, { start: number, text: string }>} */
  const found = new Map();
  /** @param {ts.Node} node */
  const visit = (node) => {
    const ranges = [
      ...(ts.getLeadingCommentRanges(source.text, node.getFullStart()) ?? []),
      ...(ts.getTrailingCommentRanges(source.text, node.getEnd()) ?? []),
    ];
    for (const { pos, end } of ranges) found.set(pos, { start: pos, text: source.text.slice(pos, end) });
    for (const child of node.getChildren(source)) visit(child);
  };
  visit(source);
  return found.values();
}
