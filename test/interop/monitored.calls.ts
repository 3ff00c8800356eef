import type { Redis } from 'ioredis';
import { renewalRenew } from '../../libs/distributed-lock/src/scripts/generated/lua.scripts.js';
import type { TopologyServer } from '../support/topology/topology.server.js';

/** The renewals that servers got, as MONITOR tells them. */
export class MonitoredCalls {
  readonly #sizes: number[] = [];

  private constructor(private readonly monitors: readonly Redis[]) {
    for (const monitor of monitors)
      monitor.on('monitor', (_time: string, [command = '', sha, count]: string[]) => {
        if (command.toLowerCase() === 'evalsha' && sha === renewalRenew.sha1) this.#sizes.push(Number(count));
      });
  }

  static async of(servers: readonly TopologyServer[]): Promise<MonitoredCalls> {
    return new MonitoredCalls(await Promise.all(servers.map(async ({ admin }) => await admin.monitor())));
  }

  /** Stops listening. @returns how many names were renewed, in how many scripts, and the most in one */
  end(): { readonly names: number; readonly scripts: number; readonly most: number } {
    for (const monitor of this.monitors) monitor.disconnect();
    const names = this.#sizes.reduce((sum, size) => sum + size, 0);
    return { names, scripts: this.#sizes.length, most: Math.max(0, ...this.#sizes) };
  }
}
