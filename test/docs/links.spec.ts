import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findBrokenCommands, type Offer } from './named.commands.js';
import { findBrokenLinks } from './page.links.js';
import { listPages } from './page.list.js';

interface Manifest {
  readonly name: string;
  readonly scripts: Readonly<Record<string, string>>;
  readonly bin?: string | Readonly<Record<string, string>>;
  readonly schematics?: string;
}

test('every link between pages leads to a file, and to a heading of it', () => {
  expect(listPages().flatMap((page) => findBrokenLinks(page))).toEqual([]);
});

test('every page of docs/ and ops/ can be come to from the README', () => {
  const pages = new Map(listPages().map(({ path, text }) => [path, text]));
  const found = new Set(['README.md']);
  for (const path of found)
    for (const [, target = ''] of (pages.get(path) ?? '').matchAll(/\]\((?!https?:)([^)#\s]+\.md)/g)) {
      const { pathname } = new URL(target, `file:///${path}`);
      if (pages.has(pathname.slice(1))) found.add(pathname.slice(1));
    }
  const below = [...pages.keys()].filter((path) => /^(?:docs|ops)\//.test(path));
  expect(below.filter((path) => !found.has(path))).toEqual([]);
});

test('every script and command that a page names is there', () => {
  const offer = readOffer();
  expect(listPages().flatMap((page) => findBrokenCommands(page, offer))).toEqual([]);
});

function readOffer(): Offer {
  const { name, scripts, bin = {}, schematics }: Manifest = JSON.parse(readFileSync('package.json', 'utf8'));
  const commands = typeof bin === 'string' ? { [name]: bin } : bin;
  const file = commands[name];
  const help =
    file === undefined ? '' : execFileSync(process.execPath, [file, '--help'], { encoding: 'utf8' });
  return { name, scripts, bin: commands, schematics, help };
}
