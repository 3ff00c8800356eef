/** npm run simulate:defects: plants defects, one at a time, and prints the CPU seconds until the simulation found each of them. */
import { spawnSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../build/node.runner.mjs';
import { ALL_PLANTED } from './planted.all.mjs';
import { bundleSimulation, FLAGS, plantDefects } from './simulation.bundler.mjs';

/** CPU minutes for each defect. */
const [, , minutes = '5'] = process.argv;

const broken = join(ROOT, 'dist/simulation/planted.mjs');
/** @type {number[]} */
const times = [];
if (await bundleSimulation()) {
  for (const { name, defects, where } of ALL_PLANTED) {
    await plantDefects(broken, defects);
    const args = [...FLAGS, broken, ...where, '--minutes', minutes, '--until-violation'];
    const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    const [, seed, rule] = /^seed (\d+): (.+?) at /m.exec(stdout) ?? [];
    const [, seconds] = /^([\d.]+) CPU s/m.exec(stdout) ?? [];
    if (seed === undefined) {
      console.log(`NOT FOUND: ${name}`);
      continue;
    }
    times.push(Number(seconds));
    console.log(`found after ${seconds} CPU s by ${rule}, seed ${seed}: ${name}`);
  }
  await rm(broken, { force: true });
}
const median = times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)];
console.log(`${times.length} of ${ALL_PLANTED.length} found, the median after ${median} CPU s`);
process.exitCode = times.length === ALL_PLANTED.length ? 0 : 1;
