/** Checks what the linter cannot: run by "npm run lint" beside oxlint. An argument names another root folder. */
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkFile } from './file.rules.mjs';
import { checkSource } from './source.rules.mjs';

const ROOT = process.argv[2] ?? fileURLToPath(new URL('../..', import.meta.url));
const FOLDERS = ['libs', 'lua', 'sample-app', 'test'];

/** @type {import('./source.rules.mjs').Finding[]} */
const findings = [];
let files = 0;
for (const folder of FOLDERS) {
  const entries = await readdir(join(ROOT, folder), { recursive: true, withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (!entry.isFile() || !/\.(?:tsx?|lua|css)$/.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    const file = relative(ROOT, path).replaceAll(sep, '/');
    if (file.includes('/generated/') || file.includes('node_modules/')) continue;
    const text = await readFile(path, 'utf8');
    findings.push(...checkFile(file, text), ...(/\.tsx?$/.test(file) ? checkSource(file, text) : []));
    files += 1;
  }
}
for (const { file, line, message } of findings) console.error(`${file}:${line} ${message}`);
console.log(`house rules: ${files} files, ${findings.length} finding(s)`);
if (findings.length > 0) process.exitCode = 1;
