import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Redis } from 'ioredis';
import { until } from '../support/until.js';

const LEASE = '2000';

/** Its keys, as the wire format of ticks has them. */
interface JobKeys {
  readonly lock: string;
  readonly record: string;
  readonly runs: string;
}

/**
 * An instance with the first published version of the library, as far as Redis can see it: it sends the scripts of that
 * version, which `older/` keeps as they were, for a job with a tick every second.
 */
export class OlderInstance {
  /** The ticks that it ran, in their order. */
  readonly ran: number[] = [];
  readonly #keys: JobKeys;
  #isOn = true;
  #claims = 0;

  private constructor(
    private readonly redis: Redis,
    private readonly name: string,
    private readonly scripts: Readonly<Record<'register' | 'claim' | 'finish', string>>,
  ) {
    this.#keys = { lock: name, record: `{${name}}:tick`, runs: `{${name}}:runs` };
  }

  /** @param name the job's full name, with its prefix */
  static async start(redis: Redis, name: string): Promise<OlderInstance> {
    const [register, claim, finish] = await Promise.all(['register', 'claim', 'finish'].map(readScript));
    if (register === undefined || claim === undefined || finish === undefined) throw new Error('unreachable');
    const instance = new OlderInstance(redis, name, { register, claim, finish });
    const { record } = instance.#keys;
    const [, at] = await instance.#eval(register, [record], ['', 'ticks', 'second by second']);
    await instance.#eval(register, [record], [`${secondOf(Number(at))}`, 'ticks', 'second by second']);
    return instance;
  }

  /** Claims every tick as it comes, until it is stopped. @returns when it has stopped */
  async run(): Promise<void> {
    for (let last = 0; this.#isOn;) {
      let tick = last;
      await until('the next tick', async () => (tick = secondOf(await this.#now())) > last || !this.#isOn);
      if (this.#isOn) await this.claim(tick);
      last = tick;
    }
  }

  stop(): void {
    this.#isOn = false;
  }

  /** @returns the code of the answer: 1 when it was granted, and has run */
  async claim(tick: number): Promise<number> {
    const { lock, record, runs } = this.#keys;
    this.#claims += 1;
    const holder = `older:${this.#claims}`;
    const instant = ['cron', `${tick}`, `${tick + 1000}`, `${tick - 1000}`];
    const claim = [holder, LEASE, ...instant, 'ticks', 'older:1:1', 'skip', 'skip'];
    const [code, , token] = await this.#eval(this.scripts.claim, [lock, record, runs], claim);
    if (code !== 1) return Number(code);
    this.ran.push(tick);
    const channel = `redisson_lock__channel:{${this.name}}`;
    const finish = ['PUBLISH', holder, String(token), '0', LEASE, channel, 'completed', ''];
    await this.#eval(this.scripts.finish, [lock, record, runs], finish);
    return 1;
  }

  async #now(): Promise<number> {
    const [seconds, micros] = await this.redis.time();
    return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
  }

  async #eval(script: string, keys: readonly string[], args: readonly string[]): Promise<unknown[]> {
    const reply = await this.redis.eval(script, keys.length, ...keys, ...args);
    if (!Array.isArray(reply) || Number(reply[0]) < 0)
      throw new Error(`an older script said ${String(reply)}`);
    return reply;
  }
}

async function readScript(name: string): Promise<string> {
  return await readFile(fileURLToPath(new URL(`older/${name}.lua`, import.meta.url)), 'utf8');
}

function secondOf(at: number): number {
  return Math.floor(at / 1000) * 1000;
}
