/** npm run simulate:defects: plants defects, one at a time, and prints the CPU seconds until the simulation found each of them. */
import { spawnSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../build/node.runner.mjs';
import { PLANTED } from './planted.defects.mjs';
import { PLANTED_KINDS } from './planted.kinds.mjs';
import { PLANTED_NODES } from './planted.nodes.mjs';
import { PLANTED_SOCKETS } from './planted.sockets.mjs';
import { PLANTED_TICKS } from './planted.ticks.mjs';
import { PLANTED_TOPOLOGIES } from './planted.topologies.mjs';
import { bundleSimulation, FLAGS, plantDefects } from './simulation.bundler.mjs';

/** CPU minutes for each defect. */
const [, , minutes = '5'] = process.argv;

const broken = join(ROOT, 'dist/simulation/planted.mjs');
const all = [
  ...PLANTED.map((planted) => ({ ...planted, where: ['--topology', 'one'] })),
  ...PLANTED_KINDS.map((planted) => ({ ...planted, where: ['--topology', 'one'] })),
  ...PLANTED_TICKS.map((planted) => ({ ...planted, where: ['--topology', 'one'] })),
  ...PLANTED_SOCKETS.map((planted) => ({ ...planted, where: ['--layer', 'socket'] })),
  ...[...PLANTED_TOPOLOGIES, ...PLANTED_NODES].map((planted) => ({
    ...planted,
    where: ['--topology', planted.topology],
  })),
];
/** @type {number[]} */
const times = [];
if (await bundleSimulation()) {
  for (const { name, defects, where } of all) {
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
console.log(`${times.length} of ${all.length} found, the median after ${median} CPU s`);
process.exitCode = times.length === all.length ? 0 : 1;
