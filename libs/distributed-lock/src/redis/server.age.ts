import { now } from '../timing/monotonic.clock.js';
import type { ClientLifecycle } from './client.lifecycle.js';

/**
 * Whether a server has run for so long that nothing which it forgot at its start can still be believed in by anybody: the
 * delayed restart of the Redlock algorithm, kept by the client. A server that cannot be asked for its age counts as new.
 */
export class ServerAge {
  #runId: string | undefined;
  /** The monotonic instant from which it is old enough. */
  #oldFrom = Infinity;

  constructor(
    private readonly lifecycle: ClientLifecycle,
    /** In ms; 0 for servers that forget nothing. */
    private readonly restartDelay: number,
  ) {
    lifecycle.onReady(() => void this.#look());
    lifecycle.client.on('close', () => {
      this.#oldFrom = Infinity;
    });
  }

  /** Whether it can be asked, and its answer counts. */
  get isTrusted(): boolean {
    return this.lifecycle.isReady && now() >= this.#oldFrom;
  }

  /** How long it still has to wait, in ms; Infinity while that is not known. */
  get wait(): number {
    return Math.max(0, this.#oldFrom - now());
  }

  async #look(): Promise<void> {
    if (this.restartDelay === 0) {
      this.#oldFrom = now();
      return;
    }
    const asked = now();
    const { runId, age } = await this.#ask();
    // The wire was cut, and not the server: it has forgotten nothing.
    const isSame = runId !== undefined && runId === this.#runId;
    this.#runId = runId;
    this.#oldFrom = isSame ? asked : asked + Math.max(0, this.restartDelay - age);
  }

  /** The age in ms, never too much: both of the times that it comes from are cut to whole seconds. */
  async #ask(): Promise<{ runId: string | undefined; age: number }> {
    try {
      const info = String(await this.lifecycle.client.info('server'));
      const uptime = Number(/uptime_in_seconds:(\d+)/.exec(info)?.[1] ?? 0);
      return { runId: /run_id:(\w+)/.exec(info)?.[1], age: Math.max(0, uptime - 1) * 1000 };
    } catch {
      return { runId: undefined, age: 0 };
    }
  }
}
