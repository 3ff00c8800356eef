/**
 * "npm run docs:site": the site of the documentation in dist/site: its pages, the reference of the types in api/, each page as Markdown, and llms.txt. Every
 * link and anchor is checked. With --serve it shows the pages on loopback while they change, diagrams as text, and makes nothing else.
 */
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT, runNode } from '../../build/node.runner.mjs';
import { installDocsTools } from '../docs.installer.mjs';
import { findBrokenAddresses } from './address.checker.mjs';
import { writePlainPages } from './plain.pages.mjs';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const VITEPRESS = fileURLToPath(new URL('../node_modules/vitepress/bin/vitepress.js', import.meta.url));
const ICON = join(ROOT, 'libs/dashboard-page/public/assets/icon.svg');
const MERMAID = fileURLToPath(new URL('../node_modules/mermaid/dist', import.meta.url));
const SITE = join(ROOT, 'dist/site');

await installDocsTools();
if (process.argv.includes('--serve')) {
  await runNode(VITEPRESS, ['dev', HERE, '--host', '127.0.0.1']);
} else {
  await rm(SITE, { recursive: true, force: true });
  await run(VITEPRESS, ['build', HERE]);
  await run(join(ROOT, 'node_modules/typedoc/bin/typedoc'), [
    '--options',
    'tools/docs/typedoc.config.mjs',
    '--out',
    join(SITE, 'api'),
  ]);
  await cp(ICON, join(SITE, 'icon.svg'));
  for (const part of ['mermaid.esm.min.mjs', 'chunks/mermaid.esm.min'])
    await cp(join(MERMAID, part), join(SITE, 'mermaid', part), {
      recursive: true,
      filter: (file) => !file.endsWith('.map'),
    });
  await writePlainPages(SITE);
  const broken = await findBrokenAddresses(SITE);
  for (const line of broken) console.error(line);
  if (broken.length > 0) process.exit(1);
  console.log(`the site is in ${SITE}`);
}

/** @param {string} script @param {string[]} args */
async function run(script, args) {
  if (!(await runNode(script, args))) process.exit(1);
}
