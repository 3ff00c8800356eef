import { appendFileSync } from 'node:fs';

/**
 * Fails the run for something that is no test's: vitest logs what a teardown throws, and ends as if all were well.
 * `npm test` reads the file that `SUITE_FAILURES` names.
 */
export function failSuite(why: string): never {
  process.exitCode = 1;
  const file = process.env['SUITE_FAILURES'];
  if (file !== undefined) appendFileSync(file, `${why}\n`);
  throw new Error(why);
}
