import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { until } from '../until.js';
import type { FaultCommand, FaultMessage, FaultSettings } from '../../workers/faults/fault.protocol.js';

const BUNDLED = new URL('../../../dist/workers/faults/', import.meta.url);

type MessageOf<K extends FaultMessage['kind']> = Extract<FaultMessage, { kind: K }>;

/** A Nest application in a process of its own, which can be stopped and killed. */
export class FaultWorker {
  readonly messages: FaultMessage[] = [];
  /** Exit code and signal, once it has ended. */
  readonly exited: Promise<readonly unknown[]>;
  readonly #process: ChildProcess;
  #errors = '';
  #printed = '';
  #commands = 0;

  private constructor(script: string, settings: FaultSettings) {
    this.#process = fork(fileURLToPath(new URL(script, BUNDLED)), [], {
      env: { ...process.env, FAULT_WORKER: JSON.stringify(settings), NO_COLOR: '1' },
      silent: true,
    });
    this.exited = once(this.#process, 'exit');
    this.#process.on('message', (message: FaultMessage) => this.messages.push(message));
    this.#process.stdout?.on('data', (data: Buffer) => (this.#printed += String(data)));
    this.#process.stderr?.on('data', (data: Buffer) => (this.#errors += String(data)));
  }

  static async start(script: string, settings: FaultSettings): Promise<FaultWorker> {
    const worker = new FaultWorker(script, settings);
    await worker.first('ready', () => true, 20_000);
    return worker;
  }

  of<K extends FaultMessage['kind']>(kind: K): MessageOf<K>[] {
    return this.messages.filter((message): message is MessageOf<K> => message.kind === kind);
  }

  /** Waits for the first message of that kind that fits. */
  async first<K extends FaultMessage['kind']>(
    kind: K,
    fits: (message: MessageOf<K>) => boolean = () => true,
    within?: number,
  ): Promise<MessageOf<K>> {
    let found: MessageOf<K> | undefined;
    await until(
      `"${kind}" of a worker; ${this.#errors}`,
      () => (found = this.of(kind).find(fits)) !== undefined,
      within,
    );
    if (found === undefined) throw new Error('unreachable');
    return found;
  }

  /** Sends a command that is answered by what the worker prints. */
  async order(command: FaultCommand, printed: string): Promise<void> {
    this.send(command);
    await until(`the worker prints "${printed}"`, () => this.#printed.includes(printed));
  }

  async ask(command: FaultCommand): Promise<unknown> {
    const id = this.send(command);
    const { value, error } = await this.first('answer', (answer) => answer.id === id, 20_000);
    if (error !== undefined) throw new Error(error);
    return value;
  }

  /** Sends a command that is not answered. @returns its id */
  send(command: FaultCommand): number {
    this.#commands += 1;
    this.#process.send({ id: this.#commands, command });
    return this.#commands;
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
