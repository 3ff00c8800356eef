import ts from 'typescript';
import { lineOf } from './source.line.mjs';

/** @typedef {import('./source.rules.mjs').Finding} Finding */

/** Words for things that have a name in the field; docs/contributing/glossary.md has that name. */
const PRIVATE = new Set(
  (
    'contender contest ear ears wish wishes news ledger courtesy retire retired retiree retirement joint joints gift ' +
    'seat seats guest guests book desk tell tells heard hear hears hearer insist census asked neighbour neighbours ' +
    'beat beats remark remarks suspicion owe owed giver taker patient patience farewell door doors look looks looked ' +
    'told adopt adopts deliver delivers silence contenders'
  ).split(' '),
);

/**
 * Names of files, types and their members in words of the field.
 * @param {ts.SourceFile} source
 * @param {string} file its path from the root, with slashes
 * @returns {Finding[]}
 */
export function checkWords(source, file) {
  if (!/^libs\/[^/]+\/src\/(?!schematics\/)/.test(file) || file.endsWith('.spec.ts')) return [];
  /** @type {Finding[]} */
  const findings = [];
  /** @param {string} name @param {number} line */
  const check = (name, line) => {
    const word = wordsOf(name).find((each) => PRIVATE.has(each));
    if (word !== undefined)
      findings.push({ file, line, message: `word rule: "${word}" in ${name}; see the glossary` });
  };
  check(file.slice(file.lastIndexOf('/') + 1).replace(/\.tsx?$/, ''), 1);
  /** @param {ts.Node} node */
  const visit = (node) => {
    const name = nameOf(node);
    if (name !== undefined) check(name.text, lineOf(source, node.getStart(source)));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return findings;
}

/**
 * Of a type, a function, a variable, a parameter, or a member of a type.
 * @param {ts.Node} node
 */
function nameOf(node) {
  const isNamed =
    ts.isClassDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isFunctionDeclaration(node) ||
    ts.isVariableDeclaration(node) ||
    ts.isParameter(node) ||
    ts.isClassElement(node) ||
    ts.isTypeElement(node);
  const name = isNamed ? node.name : undefined;
  return name !== undefined && (ts.isIdentifier(name) || ts.isPrivateIdentifier(name)) ? name : undefined;
}

/**
 * `LockTarget` and `lock.target` have two.
 * @param {string} name
 */
function wordsOf(name) {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/[^A-Za-z0-9]+/g, ' ')
    .trim()
    .toLowerCase()
    .split(' ');
}
