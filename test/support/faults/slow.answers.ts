import { setTimeout as sleep } from 'node:timers/promises';
import { ALL_SCRIPTS } from '../all.scripts.js';
import type { ProxiedCommand } from './proxy.link.js';
import type { TcpProxy } from './tcp.proxy.js';

/** Redis runs each command at once, and its answer comes `delay` ms later; the pushes of a subscription come at once. */
export class SlowAnswers {
  readonly #operations = new Map<string, number>();

  constructor(wire: TcpProxy, delay: number) {
    wire.judge((command) => {
      this.#count(command);
      const due = performance.now() + delay;
      return { answered: () => sleep(Math.max(0, due - performance.now())) };
    });
  }

  /** How many operations of each script Redis got. */
  get operations(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#operations);
  }

  #count({ name, words }: ProxiedCommand): void {
    const script = ALL_SCRIPTS.find(({ sha1 }) => sha1 === words[1]);
    if (name !== 'EVALSHA' || script === undefined) return;
    const operations = script.batch ? Number(words[2]) / script.keysPerOperation : 1;
    this.#operations.set(script.name, (this.#operations.get(script.name) ?? 0) + operations);
  }
}
