import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { currentLock } from 'nestjs-distributed-lock';
import { settings, tell } from './worker.channel.js';

/** What the workers' jobs do: they say that they have begun, work for a while, and say that they have ended. */
@Injectable()
export class WorkStage {
  #release: () => void = () => undefined;
  readonly #released = new Promise<void>((resolve) => {
    this.#release = resolve;
  });

  async perform(job: string): Promise<number | undefined> {
    const { tick, token, signal } = currentLock() ?? {};
    const known = tick === undefined ? {} : { tick };
    tell({ kind: 'started', job, ...known, ...(token === undefined ? {} : { token: `${token}` }) });
    await this.#work(signal);
    tell({ kind: 'ended', job, ...known, aborted: signal?.aborted === true });
    return tick;
  }

  release(): void {
    this.#release();
  }

  async #work(signal: AbortSignal | undefined): Promise<void> {
    if (settings.work !== 'hang') {
      await sleep(settings.work);
      return;
    }
    const aborted = new Promise<void>((resolve) =>
      signal?.addEventListener('abort', () => resolve(), { once: true }),
    );
    await Promise.race([this.#released, aborted]);
  }
}
