import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { until } from '../support/until.js';
import type { KindCommand, KindMessage, KindSettings, TakenKind } from '../workers/kinds/kind.protocol.js';
import { machineTime } from './machine.clock.js';

const BUNDLED = new URL('../../dist/workers/kinds/kind.worker.js', import.meta.url);

type MessageOf<K extends KindMessage['kind']> = Extract<KindMessage, { kind: K }>;

/** A Nest application with locks of any kind in a process of its own, which can be stopped and killed. */
export class KindWorker {
  readonly #process: ChildProcess;
  readonly #exited: Promise<unknown>;
  readonly #messages: KindMessage[] = [];
  #errors = '';

  private constructor(settings: KindSettings) {
    this.#process = fork(fileURLToPath(BUNDLED), [], {
      env: { ...process.env, KIND_WORKER: JSON.stringify(settings), NO_COLOR: '1' },
      silent: true,
    });
    this.#exited = once(this.#process, 'exit');
    this.#process.on('message', (message: KindMessage) => this.#messages.push(message));
    this.#process.stderr?.on('data', (data: Buffer) => (this.#errors += String(data)));
  }

  static async start(settings: KindSettings): Promise<KindWorker> {
    const worker = new KindWorker(settings);
    await until(
      `a worker is ready; ${worker.#errors}`,
      () => worker.#messages.some(({ kind }) => kind === 'ready'),
      20_000,
    );
    return worker;
  }

  /** Begins to wait for a lock. */
  take(id: number, kind: TakenKind, name: string, holdFor?: number): void {
    this.#send({ do: 'take', id, kind, name, ...(holdFor === undefined ? {} : { holdFor }) });
  }

  /** Begins to wait for a lock with a lease of its own, in ms. */
  takeFor(leaseTime: number, id: number, kind: TakenKind, name: string): void {
    this.#send({ do: 'take', id, kind, name, leaseTime });
  }

  unlock(id: number): void {
    this.#send({ do: 'unlock', id });
  }

  stream(command: Omit<Extract<KindCommand, { do: 'stream' }>, 'do'>): void {
    this.#send({ do: 'stream', ...command });
  }

  /** Waits for what the worker tells of one of the test's numbers. */
  async told<K extends Exclude<KindMessage['kind'], 'ready'>>(
    kind: K,
    id: number,
    within = 8000,
  ): Promise<MessageOf<K>> {
    let found: MessageOf<K> | undefined;
    const fits = (message: KindMessage): message is MessageOf<K> =>
      message.kind === kind && 'id' in message && message.id === id;
    await until(
      `"${kind}" of ${id}; ${this.#errors}`,
      () => (found = this.#messages.find(fits)) !== undefined,
      within,
    );
    if (found === undefined) throw new Error('unreachable');
    return found;
  }

  /** What the worker told of a grant; undefined: there was none yet. */
  grant(id: number): MessageOf<'granted'> | undefined {
    return this.#messages.find((message) => message.kind === 'granted' && message.id === id) as
      | MessageOf<'granted'>
      | undefined;
  }

  hasBeenGranted(id: number): boolean {
    return this.grant(id) !== undefined;
  }

  signal(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }

  /** Ends the process as a crash would. @returns when, in µs of the machine's monotonic clock */
  async kill(): Promise<number> {
    const at = machineTime();
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      this.#process.kill('SIGKILL');
      await this.#exited;
    }
    return at;
  }

  #send(command: KindCommand): void {
    this.#process.send(command);
  }
}
