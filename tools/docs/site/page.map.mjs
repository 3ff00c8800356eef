import { readFileSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
import { ROOT } from '../../build/node.runner.mjs';

/** @typedef {{ path: string, title: string, summary: string }} SitePage a file of the repository; `summary` is a sentence, or empty */
/** @typedef {{ title: string, pages: SitePage[] }} SiteGroup */

/** The page that lists all others: its sections are the groups of the site, and its order is that of "next page". */
const INDEX = 'docs/README.md';
const ENTRY = /^ *- \[(?<title>[^\]]+)\]\((?<target>[^)]+)\)(?:: (?<summary>.+))?$/gm;

/** @type {readonly SiteGroup[]} */
export const GROUPS = readPage(INDEX)
  .split(/^## /m)
  .slice(1)
  .map((section) => ({
    title: section.slice(0, section.indexOf('\n')),
    pages: [...section.matchAll(ENTRY)].map(({ groups }) => ({
      path: posix.join(posix.dirname(INDEX), groups?.['target'] ?? ''),
      title: groups?.['title'] ?? '',
      summary: groups?.['summary'] ?? '',
    })),
  }));

/** The page in front of the groups: a file that only the site has. */
export const HOME = 'tools/docs/site/home.md';

/** Every page of the groups, with its group. */
export const PAGES = GROUPS.flatMap((group) =>
  group.pages.map((each) => ({ ...each, address: addressOf(group, each.path) })),
);

/** Where the site has a file of the repository: its address without an ending, from the root of the site. */
export const ADDRESSES = new Map([
  [HOME, 'index'],
  ...PAGES.map(({ path, address }) => /** @type {const} */ ([path, address])),
]);

/** @param {SiteGroup} group @param {string} path */
function addressOf(group, path) {
  const name = basename(path, '.md').toLowerCase();
  const own = name === 'readme' ? (path === 'README.md' ? 'index' : basename(dirname(path))) : name;
  return posix.join(group.title.toLowerCase(), own);
}

/**
 * What a link of a page leads to.
 * @param {string} from the page's file, from the root of the repository
 * @param {string} target the link as it stands in the page
 * @returns {{ address: string, anchor: string } | { file: string } | null} a page of the site; another file of the repository; null for the web, and for an anchor of the same page
 */
export function resolveLink(from, target) {
  if (/^(?:[a-z][a-z+.-]*:|#|\/)/i.test(target)) return null;
  const [file = '', anchor] = target.split('#');
  const path = posix.join(posix.dirname(from), decodeURIComponent(file));
  const address = ADDRESSES.get(path) ?? ADDRESSES.get(posix.join(path, 'README.md'));
  return address === undefined
    ? { file: path }
    : { address, anchor: anchor === undefined ? '' : `#${anchor}` };
}

/** @param {string} path @returns {string} the text of a page */
export function readPage(path) {
  return readFileSync(join(ROOT, path), 'utf8');
}
