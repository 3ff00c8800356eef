/** Compares the public API with its committed listing; "--update" writes the listing. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT, runNode } from '../build/node.runner.mjs';
import { listApi } from './api.listing.mjs';

const SNAPSHOT = 'libs/distributed-lock/api.snapshot.md';
const HEAD = `# Public API

What the package exports, as "npm run check:api -- --update" writes it. A change here is a change for users.

`;

if (!(await runNode('tools/build/build.mjs', ['lib']))) process.exitCode = 1;
else {
  const { exports } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  const subpaths = Object.keys(exports).flatMap((path) => /^\.\/(\w+)$/.exec(path)?.[1] ?? []);
  const wanted = [
    HEAD + listApi(join(ROOT, 'dist/esm/index.d.ts')),
    ...subpaths.map(
      (path) => `# Public API of /${path}\n\n${listApi(join(ROOT, `dist/esm/${path}/index.d.ts`))}`,
    ),
  ].join('\n');
  const present = await readFile(join(ROOT, SNAPSHOT), 'utf8').catch(() => '');
  if (process.argv.includes('--update')) {
    await writeFile(join(ROOT, SNAPSHOT), wanted);
    console.log(`${SNAPSHOT} written`);
  } else if (wanted === present) {
    console.log('api: as committed');
  } else {
    console.error(
      `api: changed; if that is meant, run "npm run check:api -- --update" and commit ${SNAPSHOT}`,
    );
    for (const line of differences(present, wanted)) console.error(line);
    process.exitCode = 1;
  }
}

/**
 * The lines that stand in one listing only, in their order.
 * @param {string} before
 * @param {string} after
 */
function differences(before, after) {
  const [old, now] = [before.split('\n'), after.split('\n')];
  return [
    ...old.filter((line) => !now.includes(line)).map((line) => `- ${line}`),
    ...now.filter((line) => !old.includes(line)).map((line) => `+ ${line}`),
  ];
}
