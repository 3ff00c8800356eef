import { openSync, writeSync } from 'node:fs';
import { settings } from './worker.channel.js';

/** Opened to append: the file of an instance has no other writer. */
const file = settings.journal === undefined ? undefined : openSync(settings.journal, 'a');

/**
 * Writes a line about a run into the instance's own file before the run goes on, so that it survives SIGKILL:
 * `<mark> <job> <tick> <attempt> <ms>`, the last by the clock that all processes of a machine share and nobody sets.
 */
export function note(
  mark: 'start' | 'end' | 'abort',
  { job, tick = 0, attempt = 0 }: { readonly job: string; readonly tick?: number; readonly attempt?: number },
): void {
  if (file === undefined) return;
  writeSync(file, `${mark} ${job} ${tick} ${attempt} ${Number(process.hrtime.bigint() / 1000n) / 1000}\n`);
}
