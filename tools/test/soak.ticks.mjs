/**
 * "npm run soak:ticks -- --minutes 3 --instances 10 --seed 1": ticks every second under random kills of instances and
 * restarts of Redis with its data, for longer than CI has time for. Prints the seed and the verdict, and fails on a violation.
 */
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const VITEST = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '3' },
    instances: { type: 'string', default: '10' },
    seed: { type: 'string', default: `${Math.floor(Math.random() * 2 ** 31)}` },
  },
});
for (const [name, value] of Object.entries(values)) {
  if (!(Number(value) > 0)) throw new Error(`--${name} must be a positive number, not "${value}"`);
}

const vitest = spawn(
  process.execPath,
  [VITEST, 'run', '--project', 'integration', 'test/ticks/storm.spec.ts', '--disable-console-intercept'],
  {
    cwd: ROOT,
    stdio: 'inherit',
    env: {
      ...process.env,
      STORM_SECONDS: `${Number(values.minutes) * 60}`,
      STORM_INSTANCES: values.instances,
      STORM_SEED: values.seed,
    },
  },
);
vitest.once('exit', (code) => (process.exitCode = code ?? 1));
