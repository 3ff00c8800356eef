import { isDone, type ReplyReader } from '../replies/reply.reader.js';
import { instanceLeave, instanceList, instanceReport } from '../scripts/generated/lua.scripts.js';
import type { ScriptRunner } from '../script-runner/script.runner.js';
import { prefixKey } from '../scripts/wire.names.js';

/** The most instances that are listed. */
const MOST = 1000;

/** An instance as Redis has it. */
export interface StoredInstance {
  readonly client: string;
  /** The store's time of its last report, in ms. */
  readonly seen: number;
  /** JSON. */
  readonly info: string;
  readonly jobs: string;
}

/** What an instance reports. JSON. */
export interface InstanceReport {
  readonly info: string;
  /** Empty where the jobs are as they were. */
  readonly jobs: string;
}

/** The scripts of the instances of a `namePrefix`, typed. */
export class InstanceScripts {
  readonly #instances: string;
  readonly #beside: string;

  constructor(
    private readonly runner: ScriptRunner,
    namePrefix: string,
  ) {
    this.#instances = prefixKey(namePrefix, 'instance_list');
    this.#beside = prefixKey(namePrefix, 'instance:');
  }

  /**
   * @param life how long the instance counts as alive after it, in ms
   * @returns the number of instances that are alive; undefined where Redis does not have the jobs, and nothing was noted
   */
  async report(client: string, life: number, { info, jobs }: InstanceReport): Promise<number | undefined> {
    const keys = [this.#instances, this.#beside + client] as const;
    return await this.runner.run({
      script: instanceReport,
      keys,
      args: [client, `${life}`, info, jobs],
      read: (reply) => (isDone(reply) ? reply.integer(2) : undefined),
    });
  }

  async leave(client: string): Promise<void> {
    const keys = [this.#instances, this.#beside + client] as const;
    await this.runner.run({ script: instanceLeave, keys, args: [client], read: () => undefined });
  }

  /** The instances that are alive. */
  async list(): Promise<StoredInstance[]> {
    const read = (reply: ReplyReader) => reply.texts(2);
    const args = [this.#beside, `${MOST}`];
    const fields = await this.runner.run({ script: instanceList, keys: [this.#instances], args, read });
    return Array.from({ length: fields.length / 4 }, (_, index) => {
      const [client = '', seen = '', info = '', jobs = ''] = fields.slice(index * 4, index * 4 + 4);
      return { client, seen: Number(seen), info, jobs };
    });
  }
}
