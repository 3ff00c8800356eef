import { setTimeout as sleep } from 'node:timers/promises';
import * as scripts from '../../../libs/distributed-lock/src/scripts/generated/lua.scripts.js';
import type { LuaScript } from '../../../libs/distributed-lock/src/scripts/lua.script.js';
import type { ProxiedCommand } from './proxy.link.js';
import type { TcpProxy } from './tcp.proxy.js';

const SCRIPTS: readonly LuaScript[] = Object.values(scripts).flatMap((script) =>
  typeof script === 'string' ? [] : [script],
);

/** The texts of all scripts: a server that has loaded them answers no script by NOSCRIPT. */
export const SCRIPT_TEXTS: readonly string[] = SCRIPTS.map(({ text }) => text);

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
    const script = SCRIPTS.find(({ sha1 }) => sha1 === words[1]);
    if (name !== 'EVALSHA' || script === undefined) return;
    const operations = script.batch ? Number(words[2]) / script.keysPerOperation : 1;
    this.#operations.set(script.name, (this.#operations.get(script.name) ?? 0) + operations);
  }
}
