import { jobDelist, jobEnlist, jobList } from '../scripts/generated/lua.scripts.js';
import { suffixName } from '../scripts/wire.names.js';
import type { TimedCaller } from './timed.caller.js';

/** The most jobs in the list of a `namePrefix`. */
const MOST = 10_000;

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
    this.#list = suffixName(namePrefix, 'jobs');
  }

  /** @param entries up to 500 */
  async enlist(entries: readonly JobEntry[]): Promise<void> {
    const texts = entries.map((entry) => this.#textOf(entry));
    await this.caller.call(jobEnlist, [this.#list], [JSON.stringify(texts), `${MOST}`]);
  }

  async delist(entry: JobEntry): Promise<void> {
    await this.caller.call(jobDelist, [this.#list], [this.#textOf(entry)]);
  }

  /** The jobs after one, by name. @param most up to 1000 */
  async page(after: JobEntry | undefined, most: number): Promise<JobEntry[]> {
    const from = after === undefined ? '' : this.#textOf(after);
    const reply = await this.caller.call(jobList, [this.#list], [from, `${most}`]);
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
