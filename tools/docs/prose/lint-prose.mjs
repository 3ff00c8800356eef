/**
 * "npm run check:prose": the pages of the documentation by textlint: the word list of words.yml, the length of a sentence, misspellings. Code is left out. With
 * names of files it checks those.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from '../../build/node.runner.mjs';
import { runCommand } from '../../redis/command.runner.mjs';
import { installDocsTools } from '../docs.installer.mjs';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const TOOLS = fileURLToPath(new URL('..', import.meta.url));

/** What users and contributors read; the changelog quotes what was. */
const PAGES = [
  'README.md',
  'SUPPORT.md',
  'SECURITY.md',
  'CONTRIBUTING.md',
  'docs/**/*.md',
  'ops/**/*.md',
  'sample-app/*.md',
];

await installDocsTools();
const named = process.argv.slice(2);
const { ok, output } = await runCommand(
  process.execPath,
  [
    join(TOOLS, 'node_modules/textlint/bin/textlint.js'),
    '--config',
    join(HERE, '.textlintrc.json'),
    '--format',
    'unix',
    ...(named.length > 0 ? named : PAGES),
  ],
  { cwd: ROOT, env: { NODE_PATH: join(TOOLS, 'node_modules') } },
);
console.log(output.trim() === '' ? 'the prose is clean' : output.replaceAll(`${ROOT}`, '').trim());
process.exitCode = ok ? 0 : 1;
