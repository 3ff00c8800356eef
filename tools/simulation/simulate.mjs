/**
 * npm run simulate -- [--topology one | quorum | sentinel | cluster] [--seed 1] [--runs 20 | --minutes 1] [--seconds 20] [--layer socket] [--trace 100..200] [--shrink] [--twice] [--histories FOLDER]
 * Runs simulated fleets, one for each seed, and prints what came of them. Ends with 1 when a rule was broken.
 */
import { spawnSync } from 'node:child_process';
import { bundleSimulation, FLAGS, SIMULATION } from './simulation.bundler.mjs';

if (await bundleSimulation()) {
  const { status } = spawnSync(process.execPath, [...FLAGS, SIMULATION, ...process.argv.slice(2)], {
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
} else process.exitCode = 1;
