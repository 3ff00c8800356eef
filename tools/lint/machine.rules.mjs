import ts from 'typescript';
import { lineOf } from './source.line.mjs';
import { PAGE } from './storeys.mjs';

/** @typedef {import('./source.rules.mjs').Finding} Finding */

/** The port itself, and what runs for a person at a terminal. */
const EXEMPT = /\/src\/(?:timing\/machine\.ts$|cli\/|schematics\/)|\.(?:spec|fixture)\.ts$/;

const MEMBERS = new Set([
  'Date.now',
  'performance.now',
  'Math.random',
  'process.nextTick',
  'process.hrtime',
  'process.pid',
]);
const FUNCTIONS = new Set(['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask']);
/** Where names may be taken from, and which of them, beside functions. */
const SOURCES = /^(?:globalThis\.)?(?:globalThis|process|Date|Math|performance)$/;
const BOUND = new Set(['now', 'random', 'nextTick', 'hrtime', 'pid']);
/** @type {Readonly<Record<string, RegExp>>} */
const IMPORTS = {
  'node:crypto': /^random|^getRandom/,
  'node:os': /^hostname$/,
  'node:perf_hooks': /./,
  'node:timers': /./,
  'node:timers/promises': /./,
};

/**
 * Clocks, timers, randomness and ids come from the machine (timing/machine.ts), so that a simulation can replay a whole fleet.
 * @param {ts.SourceFile} source
 * @param {string} file
 * @returns {Finding[]}
 */
export function checkMachine(source, file) {
  if (!/^libs\/[^/]+\/src\//.test(file) || EXEMPT.test(file) || PAGE.test(file)) return [];
  const taken = takenFromMachine(source);
  /** @type {Finding[]} */
  const findings = [];
  /** @param {ts.Node} node @param {string} what */
  const find = (node, what) => {
    const message = `machine rule: ${what} differs from run to run: take it from "machine" of timing/machine.ts`;
    findings.push({ file, line: lineOf(source, node.getStart()), message });
  };
  /** @param {ts.Node} node */
  const visit = (node) => {
    if (ts.isPropertyAccessExpression(node) && MEMBERS.has(node.getText().replace(/^globalThis\./, '')))
      find(node, node.getText());
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) {
      const { text } = node.expression;
      if (FUNCTIONS.has(text) && !taken.has(text)) find(node, text);
    }
    if (
      ts.isNewExpression(node) &&
      node.expression.getText() === 'Date' &&
      (node.arguments?.length ?? 0) === 0
    )
      find(node, 'new Date()');
    if (ts.isVariableDeclaration(node) && SOURCES.test(node.initializer?.getText() ?? ''))
      for (const name of boundNames(node.name)) if (FUNCTIONS.has(name) || BOUND.has(name)) find(node, name);
    if (ts.isImportDeclaration(node))
      for (const name of importedNames(node))
        if (IMPORTS[moduleOf(node)]?.test(name) === true) find(node, name);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return findings;
}

/** The functions that the file has taken from the machine by their names. @param {ts.SourceFile} source */
function takenFromMachine(source) {
  /** @type {Set<string>} */
  const names = new Set();
  /** @param {ts.Node} node */
  const visit = (node) => {
    if (ts.isVariableDeclaration(node) && node.initializer?.getText().startsWith('machine.'))
      for (const name of boundNames(node.name)) names.add(name);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return names;
}

/** @param {ts.BindingName} name */
function boundNames(name) {
  if (!ts.isObjectBindingPattern(name)) return [];
  return name.elements.map(({ propertyName, name: own }) => (propertyName ?? own).getText());
}

/** @param {ts.ImportDeclaration} node */
function moduleOf({ moduleSpecifier }) {
  return ts.isStringLiteral(moduleSpecifier) ? moduleSpecifier.text : '';
}

/** @param {ts.ImportDeclaration} node */
function importedNames({ importClause }) {
  const bindings = importClause?.namedBindings;
  if (bindings === undefined || !ts.isNamedImports(bindings) || importClause?.isTypeOnly === true) return [];
  return bindings.elements.map(({ propertyName, name }) => (propertyName ?? name).text);
}
