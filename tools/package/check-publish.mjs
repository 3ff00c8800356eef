/**
 * Lists what is missing before a version is published, each with its remedy, and fails if anything is.
 * `--files` reads files only. Without it the package is also packed, checked, and published to nowhere.
 */
import { ROOT, runNode } from '../build/node.runner.mjs';
import { runCommand } from '../redis/command.runner.mjs';
import { NPM } from './package.stage.mjs';
import { findMissing } from './publish.rules.mjs';
import { readState } from './publish.state.mjs';

/** @typedef {import('./publish.rules.mjs').Missing} Missing */

/** @returns {Promise<Missing[]>} */
async function findUnpublishable() {
  // It builds the library as well, which the rehearsal packs.
  if (!(await runNode('tools/package/check-package.mjs', ['--counted'])))
    return [
      {
        rule: 'package',
        fault: 'the package has the faults that are listed above',
        remedy: 'npm run check:package repeats this check alone',
      },
    ];
  const rehearsal = await runCommand(NPM, ['publish', '--dry-run', '--ignore-scripts'], { cwd: ROOT });
  if (rehearsal.ok) return [];
  const reason = rehearsal.output.split('\n').filter((line) => line.startsWith('npm error'));
  return [
    {
      rule: 'rehearsal',
      fault: `npm publish --dry-run fails: ${reason.join(' ').replaceAll('npm error ', '')}`,
      remedy: 'npm publish --dry-run --ignore-scripts prints all of it',
    },
  ];
}

const missing = findMissing(await readState(ROOT));
if (!process.argv.includes('--files')) missing.push(...(await findUnpublishable()));

for (const { rule, fault, remedy } of missing)
  console.error(`publish: ${rule}: ${fault}\n         ${remedy}`);
console.log(missing.length === 0 ? 'publish: nothing is missing' : `publish: ${missing.length} missing`);
// A rehearsal ("npm publish --dry-run") lists what is missing, and goes on.
if (missing.length > 0 && process.env['npm_config_dry_run'] !== 'true') process.exitCode = 1;
