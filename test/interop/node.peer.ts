import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { until } from '../support/until.js';
import type { WorkerCommand, WorkerMessage, WorkerSettings } from '../workers/interop/interop.protocol.js';
import { T } from './java.peer.js';
import type { Timed } from './timed.js';

const at = (file: string) => new URL(`../../dist/test/workers/${file}`, import.meta.url);

/** A Nest application with locks in a process of its own, which can be killed. */
export class NodePeer {
  readonly #process: ChildProcess;
  readonly #exited: Promise<unknown>;
  readonly #messages: WorkerMessage[] = [];
  #errors = '';
  #commands = 0;
  #hasEnded = false;

  private constructor(settings: WorkerSettings, clockShift: number) {
    const env = {
      ...process.env,
      INTEROP_WORKER: JSON.stringify(settings),
      CLOCK_SHIFT: `${clockShift}`,
      NO_COLOR: '1',
    };
    this.#process = fork(at('interop/lock.worker.js'), [], {
      env,
      execArgv: ['--import', at('clock.shift.js').href],
      silent: true,
    });
    this.#exited = once(this.#process, 'exit').then(() => (this.#hasEnded = true));
    this.#process.on('message', (message: WorkerMessage) => this.#messages.push(message));
    this.#process.stderr?.on('data', (data: Buffer) => (this.#errors += String(data)));
  }

  /** @param clockShift how far its wall clock is ahead of the machine's, in ms */
  static async start(redis: string, clockShift = 0): Promise<NodePeer> {
    const peer = new NodePeer({ redis, lockWatchdogTimeout: T }, clockShift);
    await until(
      `a worker is ready; ${peer.#errors}`,
      () => peer.#messages.some(({ kind }) => kind === 'ready'),
      20_000,
    );
    return peer;
  }

  /** Asks for something, and waits for the answer for as long as the process lives. */
  async ask(command: WorkerCommand): Promise<Timed<string>> {
    this.#commands += 1;
    const id = this.#commands;
    this.#process.send({ id, command });
    for (;;) {
      const answer = this.#messages.find((message) => message.kind === 'answer' && message.id === id);
      if (answer?.kind === 'answer') {
        if (answer.error !== undefined) throw new Error(answer.error);
        return answer;
      }
      if (this.#hasEnded) throw new Error(`the worker has ended; ${this.#errors}`);
      await Promise.race([once(this.#process, 'message'), this.#exited]);
    }
  }

  /** Ends the process as a crash would: nothing is given back. */
  async kill(): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.#exited;
  }
}
