/** Prints what the changelog says of the version in package.json: the notes of its release. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../build/node.runner.mjs';
import { entryOf } from './changelog.entry.mjs';

const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
const notes = entryOf(await readFile(join(ROOT, 'CHANGELOG.md'), 'utf8'), version);
if (notes === '')
  throw new Error(`CHANGELOG.md has no entry for ${version}: "npm run check:publish" gives the remedy`);
console.log(notes);
