import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { currentLock } from 'nestjs-distributed-lock';
import { isInScope } from './outer.scope.js';
import { note } from './run.journal.js';
import { settings, tell } from './worker.channel.js';

/** What the workers' jobs do: they say that they have begun, work for a while, and say that they have ended. */
@Injectable()
export class WorkStage {
  #release: () => void = () => undefined;
  readonly #released = new Promise<void>((resolve) => {
    this.#release = resolve;
  });

  async perform(job: string): Promise<number | undefined> {
    const { tick, attempt, token, signal } = currentLock() ?? {};
    const run = {
      job,
      ...(tick === undefined ? {} : { tick }),
      ...(attempt === undefined ? {} : { attempt }),
    };
    note('start', run);
    const outside = job === 'counted' && !isInScope() ? { isBare: true } : {};
    tell({ kind: 'started', ...run, ...(token === undefined ? {} : { token: `${token}` }), ...outside });
    await this.#work(signal);
    const aborted = signal?.aborted === true;
    note(aborted ? 'abort' : 'end', run);
    tell({ kind: 'ended', ...run, aborted });
    return tick;
  }

  release(): void {
    this.#release();
  }

  async #work(signal: AbortSignal | undefined): Promise<void> {
    const { work } = settings;
    if (typeof work === 'number') {
      await sleep(work);
      return;
    }
    if (work !== 'hang') {
      // An abort ends it early, which is told by the signal.
      await sleep(randomInt(work[0], work[1]), undefined, { signal }).catch(() => undefined);
      return;
    }
    const aborted = new Promise<void>((resolve) =>
      signal?.addEventListener('abort', () => resolve(), { once: true }),
    );
    await Promise.race([this.#released, aborted]);
  }
}
