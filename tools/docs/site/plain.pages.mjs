import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { manifest } from './manifest.mjs';
import { ADDRESSES, GROUPS, PAGES, readPage, resolveLink } from './page.map.mjs';

const FENCED = /^ *```.*?^ *```$/gms;
const LINK = /(?<=\]\()[^()\s]+(?=\))/g;

/**
 * Writes each page of the site as Markdown beside its HTML, and llms.txt, which lists these files for programs that read them.
 * @param {string} site the folder of the built site
 */
export async function writePlainPages(site) {
  await Promise.all(
    PAGES.map(async ({ path, address }) => {
      const file = join(site, `${address}.md`);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, linkToPlainPages(path, readPage(path)));
    }),
  );
  await writeFile(join(site, 'llms.txt'), listPages());
}

/**
 * A page's text, with links that lead to the Markdown files of the site.
 * @param {string} path the page's file, from the root of the repository
 * @param {string} text
 */
export function linkToPlainPages(path, text) {
  const own = posix.dirname(ADDRESSES.get(path) ?? '');
  /** @param {string} prose */
  const relink = (prose) =>
    prose.replaceAll(LINK, (target) => {
      const found = resolveLink(path, target);
      if (found === null || 'file' in found) return target;
      return `${posix.relative(own, `${found.address}.md`)}${found.anchor}`;
    });
  let result = '';
  let end = 0;
  for (const { index, 0: block } of text.matchAll(FENCED)) {
    result += relink(text.slice(end, index)) + block;
    end = index + block.length;
  }
  return result + relink(text.slice(end));
}

/** The list of the pages, in the form of llmstxt.org. */
function listPages() {
  const groups = GROUPS.map(({ title, pages }) => {
    const lines = pages.map(
      ({ path, title: name, summary }) =>
        `- [${name}](${ADDRESSES.get(path)}.md)${summary === '' ? '' : `: ${summary}`}`,
    );
    return `## ${title}\n\n${lines.join('\n')}\n`;
  });
  return `# nestjs-distributed-lock\n\n> ${manifest.description}\n\n${groups.join('\n')}`;
}
