import { APART, PAGE, STOREYS } from './storeys.mjs';

/** @typedef {import('./source.rules.mjs').Finding} Finding */

const LONGEST = 300;
const ROOMS = new Set([...STOREYS.flat(), ...APART]);
const NAME = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*\.tsx?$/;
const VAGUE = /(?:^|[./-])(?:utils?|helpers?|misc|common)[./-]/;

/**
 * Where a file may stand, what it is called, how long it is.
 * @param {string} file its path from the root, with slashes
 * @param {string} text
 * @returns {Finding[]}
 */
export function checkFile(file, text) {
  /** @type {Finding[]} */
  const findings = [];
  /** @param {string} message @param {number} [line] */
  const find = (message, line = 1) => findings.push({ file, line, message });
  const lines = text.replace(/\n$/, '').split('\n').length;
  // The linter counts TypeScript and JavaScript; it does not read Lua and stylesheets.
  if (/\.(?:lua|css)$/.test(file) && lines > LONGEST)
    find(`length rule: ${lines} lines, at most ${LONGEST}`, LONGEST + 1);
  const room = /^libs\/[^/]+\/src\/([^/]+)\//.exec(file)?.[1];
  if (room !== undefined && !ROOMS.has(room) && !PAGE.test(file)) find(`storey rule: ${room}/ has no storey`);
  if (/\.tsx?$/.test(file) && !NAME.test(file.split('/').at(-1) ?? '')) {
    find('name rule: a file is called <subject>.<role>.ts, in lower case');
  }
  if (VAGUE.test(file)) find('name rule: no utils, helpers, misc or common');
  return findings;
}
