import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { githubSlug } from '../../tools/docs/github.slug.mjs';
import type { Page } from './page.list.js';

const FENCED = /^ *```.*?^ *```$/gms;
const INLINE_CODE = /(`+)[^\n]*?\1/g;
const LINK = /!?\[(?:[^[\]]|\[[^\]]*\])*\]\((?<target>[^()\s]+(?:\([^()\s]*\)[^()\s]*)*)(?: "[^"]*")?\)/g;
const REFERENCE = /^\[[^\]]+\]: (?<target>\S+)/gm;
const HEADING = /^#{1,6} +(?<text>.*?)(?: +#+)?$/gm;
const NAMED = /<a (?:id|name)="(?<name>[^"]+)"/g;

/** What is wrong with the links of a page to files, folders and headings of the repository; the web is not asked. */
export function findBrokenLinks({ path, text }: Page, root = '.'): string[] {
  return targetsOf(text).flatMap((target) => {
    if (/^[a-z][a-z+.-]*:/i.test(target)) return [];
    const [file = '', anchor] = target.split('#');
    const place = file === '' ? path : normalize(join(dirname(path), decodeURIComponent(file)));
    const full = join(root, place);
    if (place !== path && (place.startsWith('..') || !existsSync(full)))
      return [`${path}: ${target} is not there`];
    if (anchor === undefined || !place.endsWith('.md')) return [];
    const anchors = anchorsOf(place === path ? text : readFileSync(full, 'utf8'));
    return anchors.has(decodeURIComponent(anchor)) ? [] : [`${path}: ${target}: no such heading`];
  });
}

function targetsOf(text: string): string[] {
  const prose = text.replaceAll(FENCED, '').replaceAll(INLINE_CODE, '`');
  return [LINK, REFERENCE].flatMap((form) =>
    [...prose.matchAll(form)].map(({ groups }) => groups?.['target'] ?? ''),
  );
}

/** The anchors of a page's headings, as GitHub makes them. */
export function anchorsOf(text: string): Set<string> {
  const prose = text.replaceAll(FENCED, '');
  const anchors = new Set([...prose.matchAll(NAMED)].map(({ groups }) => groups?.['name'] ?? ''));
  const seen = new Map<string, number>();
  for (const { groups } of prose.matchAll(HEADING)) {
    const slug = githubSlug((groups?.['text'] ?? '').replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1'));
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    anchors.add(count === 0 ? slug : `${slug}-${count}`);
  }
  return anchors;
}
