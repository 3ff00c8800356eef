import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readFences } from './code.blocks.js';
import type { Page } from './page.list.js';

/** What the repository offers to a shell. */
export interface Offer {
  readonly name: string;
  readonly scripts: Readonly<Record<string, string>>;
  /** The commands that an installed package brings, each with its file. */
  readonly bin: Readonly<Record<string, string>>;
  /** The collection behind `nest add`. */
  readonly schematics: string | undefined;
  /** What the command line calls itself, and its words: the text of its help. */
  readonly help: string;
}

/** Tools that a page may name though they are not installed here. */
const FOREIGN = new Set(['@nestjs/cli', 'nest']);
const SHELL = /^(?:sh|bash|shell|console)?$/;
const INLINE = /`(?<command>[^`\n]+)`/g;

const RUN = /\bnpm run (?:--silent )?(?<script>[\w:.-]+)/g;
const TEST = /\bnpm test\b/;
const NPX = /\bnpx (?:--yes |-y )?(?<tool>@?[\w/.-]+)(?: +(?<word>[a-z]+))?/g;
const ADD = /\bnest(?:js\/cli)? add (?<package>[\w@/-]+)/g;
/** `dist/main` is that of the reader's application. */
const NODE = /\bnode (?!dist\/main\b)(?<file>(?:tools|sample-app|bench|dist|test)\/[\w/.-]+)/g;

/** What is wrong with the commands that a page names, in its blocks and in its sentences. */
export function findBrokenCommands(page: Page, offer: Offer, root = '.'): string[] {
  const blocks = readFences(page)
    .filter(({ language }) => SHELL.test(language))
    .map(({ code }) => code);
  const prose = page.text.replaceAll(/^ *```.*?^ *```$/gms, '');
  const inline = [...prose.matchAll(INLINE)].map(({ groups }) => groups?.['command'] ?? '');
  return [...blocks, ...inline]
    .flatMap((text) => judge(text, offer, root))
    .map((problem) => `${page.path}: ${problem}`);
}

function judge(said: string, offer: Offer, root: string): string[] {
  const problems: string[] = [];
  // What our own command is told to run is the reader's.
  const text = said.replaceAll(new RegExp(`(${offer.name} run [^\\n]*?) -- .*`, 'g'), '$1');
  for (const { groups = {} } of text.matchAll(RUN)) {
    const { script = '' } = groups;
    if (offer.scripts[script] === undefined) problems.push(`there is no script "${script}"`);
  }
  if (TEST.test(text) && offer.scripts['test'] === undefined) problems.push('there is no script "test"');
  for (const { groups = {} } of text.matchAll(NPX)) {
    const { tool = '', word } = groups;
    problems.push(...judgeTool(tool, word, offer, root));
  }
  for (const { groups = {} } of text.matchAll(ADD)) {
    const ours = groups['package'] === offer.name;
    if (ours && offer.schematics === undefined) problems.push('there is no collection for "nest add"');
  }
  for (const { groups = {} } of text.matchAll(NODE)) {
    const { file = '' } = groups;
    if (!existsSync(join(root, file))) problems.push(`there is no file ${file}`);
  }
  return problems;
}

function judgeTool(tool: string, word: string | undefined, offer: Offer, root: string): string[] {
  if (tool !== offer.name) {
    const there = existsSync(join(root, 'node_modules/.bin', tool)) || FOREIGN.has(tool);
    return there ? [] : [`npx does not find "${tool}" here`];
  }
  if (offer.bin[tool] === undefined) return [`the package has no command "${tool}"`];
  const known = word === undefined || new RegExp(`\\b${word}\\b`).test(offer.help);
  return known ? [] : [`"${tool} ${word}" is not in its help`];
}
