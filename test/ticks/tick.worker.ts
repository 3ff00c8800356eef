import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { isCronWarning } from '../support/cron.warning.js';
import { until } from '../support/until.js';
import type { WorkerCommand, WorkerMessage, WorkerSettings } from '../workers/worker.protocol.js';

const BUNDLED = new URL('../../dist/workers/tick.worker.js', import.meta.url);
const PRELOADS = new URL('../../dist/test/workers/', import.meta.url);

export type MessageOf<K extends WorkerMessage['kind']> = Extract<WorkerMessage, { kind: K }>;

/** What is wrong with the clocks of a process. */
export interface ClockFaults {
  /** How far its wall clock is ahead of the machine's, in ms. @default 0 */
  readonly shift?: number;
  /** How much before their time its timers fire, at most, in ms. @default 0 */
  readonly early?: number;
}

/** A Nest application in a process of its own. */
export class TickWorker {
  readonly messages: WorkerMessage[] = [];
  readonly #process: ChildProcess;
  readonly #stderr: string[] = [];
  readonly exited: Promise<unknown>;
  #commands = 0;

  /** @param settings undefined for one that waits, with everything loaded, until it may {@link begin} */
  constructor(settings?: WorkerSettings, { shift = 0, early = 0 }: ClockFaults = {}) {
    const isShifted = shift !== 0 || settings === undefined;
    const preloads = [...(isShifted ? ['clock.shift.js'] : []), ...(early === 0 ? [] : ['early.timers.js'])];
    this.#process = fork(fileURLToPath(BUNDLED), [], {
      execArgv: preloads.flatMap((name) => ['--import', new URL(name, PRELOADS).href]),
      env: {
        ...process.env,
        ...(settings === undefined ? {} : { TICK_WORKER: JSON.stringify(settings) }),
        CLOCK_SHIFT: `${shift}`,
        TIMERS_EARLY: `${early}`,
        NO_COLOR: '1',
      },
      silent: true,
    });
    this.exited = once(this.#process, 'exit');
    this.#process.on('message', (message: WorkerMessage) => this.messages.push(message));
    if (this.#process.stderr !== null)
      createInterface({ input: this.#process.stderr }).on('line', (line) => this.#stderr.push(line));
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  async ready(): Promise<MessageOf<'ready'>> {
    return await this.first('ready', () => true, 20_000);
  }

  /** Starts the application of one that has waited. */
  async begin(settings: WorkerSettings, shift: number): Promise<void> {
    await this.first('loaded', () => true, 20_000);
    this.#process.send({ TICK_WORKER: JSON.stringify(settings), CLOCK_SHIFT: `${shift}` });
    await this.ready();
  }

  of<K extends WorkerMessage['kind']>(kind: K): MessageOf<K>[] {
    return this.messages.filter((message): message is MessageOf<K> => message.kind === kind);
  }

  /** Waits for the first message of that kind that fits. */
  async first<K extends WorkerMessage['kind']>(
    kind: K,
    fits: (message: MessageOf<K>) => boolean,
    within?: number,
  ): Promise<MessageOf<K>> {
    let found: MessageOf<K> | undefined;
    await until(
      `a message "${kind}" of worker ${this.#process.pid}: ${[...this.errors, ...this.#stderr].join('\n')}`,
      () => (found = this.of(kind).find(fits)) !== undefined,
      within,
    );
    if (found === undefined) throw new Error('unreachable');
    return found;
  }

  /** Lines of the log at a level, as `context: text`. */
  lines(level: string): string[] {
    return this.of('log')
      .filter((line) => line.level === level)
      .map(({ context, text }) => `${context}: ${text}`);
  }

  /** Everything that an operator would see as an error. */
  get errors(): string[] {
    const stderr = this.#stderr.filter((line) => !isCronWarning(line));
    return [...this.lines('error'), ...this.lines('fatal'), ...stderr];
  }

  async ask(command: WorkerCommand): Promise<unknown> {
    this.#commands += 1;
    const id = this.#commands;
    this.#process.send({ id, command });
    const { value, error } = await this.first('answer', (answer) => answer.id === id, 20_000);
    if (error !== undefined) throw new Error(error);
    return value;
  }

  signal(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }

  async kill(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    this.#process.kill('SIGKILL');
    await this.exited;
  }
}
