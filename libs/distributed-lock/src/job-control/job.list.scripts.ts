import { isDone } from '../replies/reply.reader.js';
import { jobDelist, jobEnlist, jobList } from '../scripts/generated/lua.scripts.js';
import { prefixKey } from '../scripts/wire.names.js';
import type { TimedCaller } from './timed.caller.js';

/** The most jobs in the list of a `namePrefix`. */
export const MOST_LISTED = 10_000;

/** The most jobs of a page. */
export const PAGE = 500;

/** A job in the list of a `namePrefix`. */
export interface JobEntry {
  readonly job: string;
  /** The key of its lock. */
  readonly key: string;
}

/** The scripts of the list of jobs, typed. */
export class JobListScripts {
  readonly #list: string;

  constructor(
    private readonly caller: TimedCaller,
    private readonly namePrefix: string,
  ) {
    this.#list = prefixKey(namePrefix, 'job_list');
  }

  /**
   * @param entries up to 500
   * @returns false where the list is full, and some were not added
   */
  async enlist(entries: readonly JobEntry[]): Promise<boolean> {
    const texts = entries.map((entry) => this.#textOf(entry));
    const args = [JSON.stringify(texts), `${MOST_LISTED}`];
    return isDone(await this.caller.call(jobEnlist, [this.#list], args));
  }

  async delist(entry: JobEntry): Promise<void> {
    await this.caller.call(jobDelist, [this.#list], [this.#textOf(entry)]);
  }

  /** The next {@link PAGE} jobs after one, by name. */
  async page(after: JobEntry | undefined): Promise<JobEntry[]> {
    const from = after === undefined ? '' : this.#textOf(after);
    const reply = await this.caller.call(jobList, [this.#list], [from, `${PAGE}`]);
    return reply.texts(2).map((text) => this.#entryOf(text));
  }

  /** The key is part of an entry where a `nameMapper` makes another one of the name: a reader may have no `nameMapper`. */
  #textOf({ job, key }: JobEntry): string {
    return key === this.namePrefix + job ? job : `${job}\0${key}`;
  }

  #entryOf(text: string): JobEntry {
    const [job = '', key = this.namePrefix + job] = text.split('\0');
    return { job, key };
  }
}
