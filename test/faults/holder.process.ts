import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import type { HolderCommand, HolderReport } from '../workers/holder.protocol.js';

type Report<K extends HolderReport['kind']> = Extract<HolderReport, { readonly kind: K }>;

/** A process that holds locks, in the hand of a test. */
export class HolderProcess {
  readonly #reports: HolderReport[] = [];
  #arrived: () => void = () => undefined;

  private constructor(readonly child: ChildProcess) {
    child.on('message', (report: HolderReport) => {
      this.#reports.push(report);
      this.#arrived();
    });
  }

  static async start(redisUrl: string, prefix: string, lease: number): Promise<HolderProcess> {
    const env = { ...process.env, REDIS_URL: redisUrl, PREFIX: prefix, LEASE: `${lease}` };
    const holder = new HolderProcess(fork(resolve('dist/test/workers/holder.worker.js'), { env }));
    await holder.next('ready');
    return holder;
  }

  tell(command: HolderCommand): void {
    this.child.send(command);
  }

  /** The next report of that kind; earlier ones of other kinds are dropped. */
  async next<K extends HolderReport['kind']>(kind: K): Promise<Report<K>> {
    for (;;) {
      const report = this.#reports.shift();
      if (report?.kind === kind) return report as Report<K>;
      if (report === undefined) {
        await new Promise<void>((arrived) => {
          this.#arrived = arrived;
        });
      }
    }
  }

  async ask<K extends HolderReport['kind']>(command: HolderCommand, kind: K): Promise<Report<K>> {
    this.tell(command);
    return await this.next(kind);
  }

  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill('SIGKILL');
    await once(this.child, 'exit');
  }
}
