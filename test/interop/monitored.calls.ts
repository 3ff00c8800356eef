import { renewalRenew } from '../../libs/distributed-lock/src/scripts/generated/lua.scripts.js';
import { StoreLog } from '../support/store.log.js';
import type { TopologyServer } from '../support/topology/topology.server.js';

/** The renewals that servers got, as MONITOR tells them. */
export class MonitoredCalls {
  private constructor(private readonly logs: readonly StoreLog[]) {}

  static async of(servers: readonly TopologyServer[]): Promise<MonitoredCalls> {
    const logs = servers.map(({ admin, port }) => new StoreLog(admin, port, renewalRenew.sha1));
    await Promise.all(logs.map(async (log) => await log.start()));
    return new MonitoredCalls(logs);
  }

  /** Stops listening. @returns how many names were renewed, in how many scripts, and the most in one */
  async end(): Promise<{ readonly names: number; readonly scripts: number; readonly most: number }> {
    await Promise.all(this.logs.map(async (log) => await log.stop()));
    const sizes = this.logs
      .flatMap(({ commands }) => commands)
      .filter(
        ({ words: [command = '', sha] }) => command.toLowerCase() === 'evalsha' && sha === renewalRenew.sha1,
      )
      .map(({ words: [, , count] }) => Number(count));
    return {
      names: sizes.reduce((sum, size) => sum + size, 0),
      scripts: sizes.length,
      most: Math.max(0, ...sizes),
    };
  }
}
