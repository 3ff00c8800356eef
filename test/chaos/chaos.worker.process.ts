import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import type { ChaosCommand, ChaosMessage, ChaosSettings } from '../workers/chaos/chaos.protocol.js';
import type { ChaosVictim } from './chaos.types.js';

/** What a worker needs of the run. */
export interface WorkerSurroundings {
  /** Of the process to start now. */
  settings(worker: number, life: number): ChaosSettings;
  env(worker: number): Readonly<Record<string, string>>;
  signalled(worker: number, life: number, what: 'stop' | 'resume' | 'kill' | 'exit'): void;
  outside(request: Extract<ChaosMessage, { kind: 'outside' }>['request']): number | undefined;
  readonly build: URL;
}

/** A worker's place: its process, and the one that follows when that was killed. */
export class ChaosWorkerProcess implements ChaosVictim {
  /** What its processes printed to stderr. */
  printed = '';
  #life = -1;
  #process: ChildProcess | undefined;
  #messages: ChaosMessage[] = [];
  #exited: Promise<readonly unknown[]> = Promise.resolve([]);
  #isStopped = false;
  #isLeaving = false;

  constructor(
    readonly index: number,
    private readonly around: WorkerSurroundings,
  ) {}

  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  get isAlive(): boolean {
    return (
      this.#process !== undefined && this.#process.exitCode === null && this.#process.signalCode === null
    );
  }

  async start(): Promise<void> {
    this.#life += 1;
    const life = this.#life;
    const { index, around } = this;
    const child = fork(fileURLToPath(new URL('chaos.worker.js', around.build)), [], {
      env: {
        ...process.env,
        ...around.env(index),
        CHAOS_WORKER: JSON.stringify(around.settings(index, life)),
        NO_COLOR: '1',
      },
      silent: true,
    });
    this.#process = child;
    this.#messages = [];
    this.#isStopped = false;
    this.#exited = once(child, 'exit');
    child.stderr?.on('data', (data: Buffer) => (this.printed = (this.printed + String(data)).slice(-4000)));
    child.on('message', (message: ChaosMessage) => {
      if (message.kind === 'outside') this.#answer(child, message.request);
      else this.#messages.push(message);
    });
    child.once('exit', () => {
      if (!this.#isLeaving && child === this.#process && child.signalCode !== 'SIGKILL')
        around.signalled(index, life, 'exit');
    });
    await until(`worker ${index} works; ${this.printed}`, () => this.#has('ready') || !this.isAlive, 30_000);
    if (!this.isAlive && child.signalCode !== 'SIGKILL')
      throw new Error(`worker ${index} ended at its start: ${this.printed}`);
  }

  stop(): void {
    if (!this.isAlive || this.#isStopped) return;
    this.around.signalled(this.index, this.#life, 'stop');
    this.#process?.kill('SIGSTOP');
    this.#isStopped = true;
  }

  resume(): void {
    if (!this.#isStopped) return;
    this.#process?.kill('SIGCONT');
    this.#isStopped = false;
    this.around.signalled(this.index, this.#life, 'resume');
  }

  async kill(): Promise<void> {
    await this.end();
    await this.start();
  }

  /** Kills it for good. */
  async end(): Promise<void> {
    if (!this.isAlive) return;
    this.around.signalled(this.index, this.#life, 'kill');
    this.#process?.kill('SIGKILL');
    await this.#exited;
  }

  block(ms: number): void {
    this.#send({ do: 'block', ms });
  }

  /** Its callers begin nothing new; resolves when they have ended, and all is released. */
  async finish(within: number): Promise<void> {
    this.#send({ do: 'finish' });
    await until(
      `worker ${this.index} has finished; ${this.printed}`,
      () => this.#has('idle') || !this.isAlive,
      within,
    );
  }

  /** @returns the locks that could not be had within so many ms */
  async probe(within: number): Promise<readonly string[]> {
    this.#send({ do: 'probe', within });
    await until(`worker ${this.index} has taken each lock`, () => this.#has('probed'), within + 10_000);
    return this.#messages.flatMap((message) => (message.kind === 'probed' ? message.stuck : []));
  }

  /** Asks it to shut down. @returns whether the process then ended by itself in time */
  async leave(): Promise<boolean> {
    this.#isLeaving = true;
    this.#send({ do: 'leave' });
    const ended = await Promise.race([
      this.#exited.then(() => true),
      new Promise<boolean>((resolve) => {
        setTimeout(() => resolve(false), scaled(8000)).unref();
      }),
    ]);
    if (!ended) this.#process?.kill('SIGKILL');
    return ended && this.#process?.exitCode === 0;
  }

  #answer(child: ChildProcess, request: Extract<ChaosMessage, { kind: 'outside' }>['request']): void {
    const reply = { id: request.id, value: this.around.outside(request) };
    // It may have been killed in between: then there is nobody to tell.
    if (child.connected) child.send({ do: 'outside', reply } satisfies ChaosCommand, () => undefined);
  }

  #has(kind: ChaosMessage['kind']): boolean {
    return this.#messages.some((message) => message.kind === kind);
  }

  #send(command: ChaosCommand): void {
    if (this.#process?.connected === true) this.#process.send(command, () => undefined);
  }
}
