import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { inject } from 'vitest';
import { JavaError } from './java.error.js';
import { JavaOwner } from './java.owner.js';
import type { Timed } from './timed.js';

/** How a Redisson client is made; times in ms. */
export interface JavaSettings {
  /** @default 3000 */
  readonly lockWatchdogTimeout?: number;
  /** @default 300000, as Redisson has it */
  readonly fairLockWaitTimeout?: number;
  /** What the client's name mapper puts in front of names. @default nothing */
  readonly prefix?: string;
  /** How long a server that does not answer is asked. @default as long as Redisson does, which is more than 10 s */
  readonly patience?: number;
  /** Redisson's `shardedSubscriptionMode`: the client is one of a cluster, and its URL names nodes with commas between. */
  readonly subscription?: 'AUTO' | 'ON' | 'OFF';
}

/** The watchdog's timeout on both sides, in ms: a row that waits for a lease to end shall not take half a minute. */
export const T = 3000;

/** The client of a peer that is meant when none is named. */
const MAIN = 'main';

interface Pending {
  readonly settle: (answer: Timed<string>) => void;
  readonly fail: (error: Error) => void;
}

/** A Java process with Redisson clients; it does what owners, each a thread of its own, are told. */
export class JavaPeer {
  /** What Redisson logged as a warning or worse, and what the JVM said. */
  readonly complaints: string[] = [];
  readonly #process: ChildProcess;
  readonly #exited: Promise<unknown>;
  readonly #pending = new Map<string, Pending>();
  #commands = 0;
  #owners = 0;

  private constructor() {
    const { command, args } = inject('javaPeer');
    this.#process = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    this.#exited = once(this.#process, 'close').then(() => this.#end());
    const { stdin, stdout, stderr } = this.#process;
    if (stdin === null || stdout === null || stderr === null) throw new Error('the peer has no pipes');
    // A peer that is killed breaks the pipe: what was asked is answered by its end.
    stdin.on('error', () => undefined);
    createInterface({ input: stdout }).on('line', (line) => this.#answer(line));
    createInterface({ input: stderr }).on('line', (line) => this.complaints.push(line));
  }

  /** Starts a process with one client, and lets it take each kind of way once: a first time loads hundreds of classes. */
  static async start(url: string, settings: JavaSettings = {}): Promise<JavaPeer> {
    const peer = new JavaPeer();
    await peer.connect(MAIN, url, settings);
    await Promise.all(
      [peer.owner(), peer.owner()].map(async (owner) => {
        const lock = owner.lock('reentrant', 'warm-up');
        await lock.lock();
        await lock.unlock();
      }),
    );
    return peer;
  }

  /** Makes one more client in this process: another client id, on the same server or another one. */
  async connect(client: string, url: string, settings: JavaSettings = {}): Promise<void> {
    const { lockWatchdogTimeout = T, fairLockWaitTimeout = 300_000, prefix = '', patience = 0 } = settings;
    const { subscription = '' } = settings;
    const words = [client, url, lockWatchdogTimeout, fairLockWaitTimeout, prefix, patience, subscription];
    await this.call('connector', 'connect', ...words);
  }

  async disconnect(client: string): Promise<void> {
    await this.call('connector', 'disconnect', client);
  }

  /** A thread of its own, as a caller of a client: a holder of its own. */
  owner(client: string = MAIN): JavaOwner {
    this.#owners += 1;
    return new JavaOwner(this, `${this.#owners}`, client);
  }

  /** Sends a command; those of one owner run one after the other. */
  call(owner: string, verb: string, ...words: readonly (string | number)[]): Promise<Timed<string>> {
    this.#commands += 1;
    const id = `${this.#commands}`;
    const answer = new Promise<Timed<string>>((settle, fail) => {
      this.#pending.set(id, { settle, fail });
      this.#process.stdin?.write(`${[id, owner, verb, ...words].join('\t')}\n`);
    });
    // It may fail long before anybody awaits it.
    answer.catch(() => undefined);
    return answer;
  }

  /** Ends the process as a crash would: nothing is given back. */
  async kill(): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.#exited;
  }

  /** Ends the process. */
  async close(): Promise<void> {
    this.#process.stdin?.end();
    await this.#exited;
  }

  #answer(line: string): void {
    const [id = '', how, from, at, value = '', message = ''] = line.split('\t');
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    const times = { from: Number(from), at: Number(at) };
    if (how === 'ok') pending?.settle({ value, ...times });
    else pending?.fail(new JavaError(value, message, times));
  }

  #end(): void {
    const error = new Error(`the Java process has ended; ${this.complaints.slice(-5).join('\n')}`);
    for (const { fail } of this.#pending.values()) fail(error);
    this.#pending.clear();
  }
}
