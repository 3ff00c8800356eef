/**
 * "npm run check:prose": the pages of the documentation by textlint: the word list of words.yml, the length of a sentence, misspellings. Code is left out. With
 * names of files it checks those. A machine that cannot get textlint skips it, with a message.
 */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from '../../build/node.runner.mjs';
import { runCommand } from '../../redis/command.runner.mjs';
import { Unavailable } from '../../test/unavailable.mjs';
import { installDocsTools } from '../docs.installer.mjs';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const TOOLS = fileURLToPath(new URL('..', import.meta.url));

const CONFIG = join(HERE, '.textlintrc.json');

/** What a verdict depends on, beside the page. */
const RULES = [CONFIG, join(HERE, 'words.yml'), join(TOOLS, 'package-lock.json')];

/** What users and contributors read; the changelog quotes what was. */
const PAGES = ['README.md', 'SUPPORT.md', 'SECURITY.md', 'CONTRIBUTING.md', 'sample-app/README.md'];
const FOLDERS = ['docs', 'ops'];

/** The hashes of the pages that were clean, each with the rules: textlint takes 10 s for all pages, and few of them change at a time. */
const CACHE = join(ROOT, 'dist/.cache');
const CLEAN = join(CACHE, 'clean.prose.json');

try {
  const named = process.argv.slice(2);
  const ok = named.length > 0 ? await lint(named) : await lintPages();
  if (ok) console.log('the prose is clean');
  else process.exitCode = 1;
} catch (error) {
  if (!(error instanceof Unavailable)) throw error;
  console.warn(`skipped: ${error.message}`);
}

async function lintPages() {
  const rules = await Promise.all(RULES.map((rule) => readFile(rule)));
  const pages = await Promise.all(
    (await listPages()).map(async (page) => ({
      page,
      hash: hashOf([...rules, await readFile(join(ROOT, page))]),
    })),
  );
  const clean = new Set(await readClean());
  const changed = pages.filter(({ hash }) => !clean.has(hash)).map(({ page }) => page);
  if (changed.length === 0) return true;
  if (!(await lint(changed))) return false;
  await mkdir(CACHE, { recursive: true });
  await writeFile(CLEAN, JSON.stringify(pages.map(({ hash }) => hash)));
  return true;
}

async function listPages() {
  const found = await Promise.all(
    FOLDERS.map(async (folder) => {
      const entries = await readdir(join(ROOT, folder), { recursive: true, withFileTypes: true });
      return entries
        .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
        .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)));
    }),
  );
  return [...PAGES, ...found.flat()];
}

/** @returns {Promise<string[]>} none, if the file is not there or is broken */
async function readClean() {
  try {
    return JSON.parse(await readFile(CLEAN, 'utf8'));
  } catch {
    return [];
  }
}

/** @param {readonly Buffer[]} parts */
function hashOf(parts) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}

/**
 * @param {readonly string[]} files
 * @returns {Promise<boolean>} whether they are clean; what they are not is printed
 * @throws {Unavailable} if textlint cannot be installed
 */
async function lint(files) {
  await installDocsTools();
  const { ok, output } = await runCommand(
    process.execPath,
    [join(TOOLS, 'node_modules/textlint/bin/textlint.js'), '--config', CONFIG, '--format', 'unix', ...files],
    { cwd: ROOT, env: { NODE_PATH: join(TOOLS, 'node_modules') } },
  );
  if (output.trim() !== '') console.log(output.replaceAll(ROOT, '').trim());
  return ok;
}
