/** Prints, as outputs of a workflow's step, the version in package.json and whether it is to be published; the reason goes to stderr. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../build/node.runner.mjs';
import { runCommand } from '../redis/command.runner.mjs';
import { NPM } from './package.stage.mjs';
import { findChangesets } from './pending.changesets.mjs';
import { planRelease, readVersions } from './release.plan.mjs';

const { name, version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
const answer = await runCommand(NPM, ['view', name, 'versions', '--json', '--silent'], { cwd: ROOT });
const { publish, why } = planRelease({
  version,
  pending: await findChangesets(ROOT),
  published: readVersions(answer),
});
console.error(`${publish ? 'publish' : 'nothing to publish'}: ${why}`);
console.log(`version=${version}\npublish=${publish}`);
