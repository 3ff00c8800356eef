import type { TraceLine } from './world.js';

type Trace = (line: TraceLine) => void;

/** Compares two runs of one seed in one process, line by line: what is not simulated, such as a clock of Node, differs. */
export class ReplayGuard {
  readonly #lines: string[] = [];

  /** Receives what happens in the first run. */
  readonly trace: Trace = (line) => void this.#lines.push(textOf(line));

  /** @returns what differs first; undefined: nothing */
  async compare(runAgain: (trace: Trace) => Promise<unknown>): Promise<string | undefined> {
    let difference: string | undefined;
    let count = 0;
    await runAgain((line) => {
      const [before, now] = [this.#lines[count], textOf(line)];
      count += 1;
      if (before !== now) difference ??= `${now}, and before: ${before ?? 'nothing'}`;
    });
    const missing = this.#lines[count];
    return difference ?? (missing && `nothing, and before: ${missing}`);
  }
}

function textOf({ event, at, owner, text }: TraceLine): string {
  return `event ${event} at ${at} ms of ${owner}: ${text}`;
}
