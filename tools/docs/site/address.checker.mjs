import { readdir, readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';

const HREF = /\s(?:href|src)="(?<target>[^"]+)"/g;
const ANCHOR = /\s(?:id|name)="(?<name>[^"]+)"/g;

/**
 * What the built pages link to and the site does not have: files, and anchors of pages. The reference of the types, which TypeDoc has checked, is
 * linked to but not read.
 * @param {string} site the folder of the built site
 * @param {string} [base] the path under which the site is served
 * @returns {Promise<string[]>}
 */
export async function findBrokenAddresses(site, base = process.env['SITE_BASE'] ?? '/') {
  const files = new Set((await readdir(site, { recursive: true })).map((file) => file.replaceAll('\\', '/')));
  const pages = [...files].filter((file) => file.endsWith('.html') && !file.startsWith('api/'));
  /** @type {Map<string, { targets: string[], anchors: Set<string> }>} */
  const read = new Map();
  for (const page of pages) read.set(page, parse(await readFile(join(site, page), 'utf8')));
  return [...read].flatMap(([page, { targets }]) =>
    targets.flatMap((target) => {
      if (/^[a-z][a-z+.-]*:/i.test(target)) return [];
      const [path = '', anchor = ''] = target.split('#');
      const file = path === '' ? page : fileOf(page, path, base);
      if (!files.has(file)) return [`${page}: ${target} is not there`];
      const anchors = read.get(file)?.anchors;
      const isFound = anchor === '' || anchors === undefined || anchors.has(decodeURIComponent(anchor));
      return isFound ? [] : [`${page}: ${target}: no such heading`];
    }),
  );
}

/** @param {string} html */
function parse(html) {
  const targets = [...html.matchAll(HREF)].map(({ groups }) => unescape(groups?.['target'] ?? ''));
  const anchors = new Set([...html.matchAll(ANCHOR)].map(({ groups }) => unescape(groups?.['name'] ?? '')));
  return { targets, anchors };
}

/** @param {string} text @returns {string} */
function unescape(text) {
  return text.replaceAll('&amp;', '&').replaceAll('&quot;', '"').replaceAll('&#39;', "'");
}

/**
 * @param {string} page
 * @param {string} path
 * @param {string} base
 */
function fileOf(page, path, base) {
  const full = path.startsWith('/')
    ? path.slice(path.startsWith(base) ? base.length : 1)
    : posix.join(posix.dirname(page), path);
  return full === '' || full.endsWith('/') ? `${full}index.html` : full;
}
