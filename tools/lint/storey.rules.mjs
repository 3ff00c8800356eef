import { posix } from 'node:path';
import ts from 'typescript';
import { lineOf } from './source.line.mjs';
import { APART, CLIENTS, KNOWS_CLIENT_TYPES, PAGE, STOREYS } from './storeys.mjs';

/** @typedef {import('./source.rules.mjs').Finding} Finding */

const PLACE = /^(libs\/[^/]+\/src)\/(?:([^/]+)\/)?/;
/** By room: how many storeys stand above it. */
const DEPTH = new Map(STOREYS.flatMap((rooms, depth) => rooms.map((room) => [room, depth])));

/**
 * What a file of the library may import: rooms below its own, and a Redis client only where that is known. Types and re-exports count.
 * @param {ts.SourceFile} source
 * @param {string} file its path from the root, with slashes
 * @returns {Finding[]}
 */
export function checkStoreys(source, file) {
  const [, root, room] = PLACE.exec(file) ?? [];
  if (root === undefined || file.endsWith('.spec.ts') || PAGE.test(file)) return [];
  /** @type {Finding[]} */
  const findings = [];
  for (const { target, line, isType } of importsOf(source)) {
    // A room that stands apart has the compiler of the project it runs in: by its types here, and by itself at run time.
    if (isType && target === 'typescript' && APART.includes(room ?? '')) continue;
    const message = target.startsWith('.')
      ? faultOfPath(posix.relative(root, posix.join(posix.dirname(file), target)), room)
      : faultOfPackage(target, isType, room);
    if (message !== undefined) findings.push({ file, line, message: `storey rule: ${message}` });
  }
  return findings;
}

/**
 * @param {string} path of what is imported, from the source folder
 * @param {string | undefined} room the importing one; undefined for a file outside of all rooms
 */
function faultOfPath(path, room) {
  if (path === 'index.js') return 'nothing inside imports the barrel';
  const target = path.split('/')[0] ?? '';
  if (room === undefined || target === room) return undefined;
  if (APART.includes(room)) return `${room}/ runs without the library, and imports nothing but itself`;
  const [from, to] = [DEPTH.get(room), DEPTH.get(target)];
  // A room without a storey is refused by its name.
  if (from === undefined || to === undefined || from < to) return undefined;
  return `${room}/ imports only from storeys below, and ${target}/ is ${from === to ? 'beside' : 'above'} it`;
}

/** @param {string} name @param {boolean} isType @param {string | undefined} room */
function faultOfPackage(name, isType, room = '') {
  if (APART.includes(room) && !name.startsWith('node:'))
    return `${room}/ runs without the library, and imports nothing but itself`;
  const client = name.split('/')[0] ?? '';
  const known = CLIENTS.get(client);
  if (known === undefined || room === known || (isType && room === KNOWS_CLIENT_TYPES)) return undefined;
  return `only ${known}/ knows ${client}, and ${KNOWS_CLIENT_TYPES}/ its types`;
}

/**
 * @param {ts.SourceFile} source
 * @returns {{ target: string, line: number, isType: boolean }[]}
 */
function importsOf(source) {
  /** @type {{ target: string, line: number, isType: boolean }[]} */
  const found = [];
  /** @param {ts.Node} node */
  const visit = (node) => {
    const target = targetOf(node);
    if (target !== undefined) {
      const isType = ts.isImportDeclaration(node) && node.importClause?.isTypeOnly === true;
      found.push({ target: target.text, line: lineOf(source, node.getStart(source)), isType });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** @param {ts.Node} node */
function targetOf(node) {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return literal(node.moduleSpecifier);
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return literal(node.argument.literal);
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
    return literal(node.arguments[0]);
  return undefined;
}

/** @param {ts.Node | undefined} node */
function literal(node) {
  return node !== undefined && ts.isStringLiteral(node) ? node : undefined;
}
