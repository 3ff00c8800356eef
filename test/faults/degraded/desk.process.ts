import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { until } from '../../support/until.js';
import type { DeskMessage, DeskSettings } from '../../workers/degraded/desk.protocol.js';

const SCRIPT = fileURLToPath(new URL('../../../dist/workers/degraded/desk.worker.js', import.meta.url));

/** An instance of an application, in a process of its own. */
export class DeskProcess {
  url = '';
  /** How late its timers were at worst, in ms. */
  lag = 0;
  readonly troubles: string[] = [];
  readonly lines: string[] = [];
  readonly #process: ChildProcess;

  constructor(settings: DeskSettings) {
    this.#process = fork(SCRIPT, [], { env: { ...process.env, DESK_WORKER: JSON.stringify(settings) } });
    this.#process.on('message', (message: DeskMessage) => this.#hear(message));
  }

  #hear(message: DeskMessage): void {
    switch (message.kind) {
      case 'ready':
        this.url = message.url;
        break;
      case 'lag':
        this.lag = message.worst;
        break;
      case 'log':
        this.lines.push(message.text);
        break;
      case 'trouble':
        this.troubles.push(message.text);
    }
  }

  async ready(): Promise<void> {
    await until('the application listens', () => this.url !== '' || this.hasEnded, 20_000);
  }

  get hasEnded(): boolean {
    return this.#process.exitCode !== null || this.#process.signalCode !== null;
  }

  async kill(): Promise<void> {
    if (this.hasEnded) return;
    const exited = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await exited;
  }
}
