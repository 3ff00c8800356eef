/**
 * "npm run check:seeds -- [--times 1] [--commit HASH]": simulates fleets with seeds that follow from the commit, for about a minute of CPU, or
 * so many times as many seeds. How many there are does not depend on the machine: a commit passes everywhere, or nowhere.
 * A rule that is broken fails it, and is printed with the command that repeats it.
 */
import { parseArgs } from 'node:util';
import { runCommand } from '../redis/command.runner.mjs';
import { brokenRules, firstSeedOf, readCommit } from './commit.seeds.mjs';
import { PLACES } from './simulated.places.mjs';
import { bundleSimulation, FLAGS, SIMULATION } from './simulation.bundler.mjs';

const { values } = parseArgs({
  options: { times: { type: 'string', default: '1' }, commit: { type: 'string' } },
});

const WITHIN = 1_200_000;

if (!(await bundleSimulation())) throw new Error('the simulation cannot be built');
const commit = values.commit ?? (await readCommit());
const seed = `${firstSeedOf(commit)}`;
console.log(`seeds from ${seed} on, of the commit ${commit}`);
for (const { name, options, runs } of PLACES) {
  const count = `${runs * Number(values.times)}`;
  const args = [...FLAGS, SIMULATION, ...options, '--seed', seed, '--runs', count];
  const { ok, output } = await runCommand(process.execPath, args, { timeout: WITHIN });
  const broken = brokenRules(output, options);
  const [summary = output] = /^\d+ runs of .*$/m.exec(output) ?? [];
  if (!ok) process.exitCode = 1;
  console.log([`${ok ? 'ok    ' : 'FAILED'} ${name}: ${summary}`, ...broken].join('\n       '));
}
