import type { TcpProxy } from './tcp.proxy.js';
import type { FaultStage } from './fault.stage.js';

/** A way in which Redis can be away. */
export interface Outage {
  readonly name: string;
  /** Whether what Redis knew before is still known afterwards. */
  readonly keepsData: boolean;
  begin(stage: FaultStage, wire: TcpProxy): Promise<void> | void;
  end(stage: FaultStage, wire: TcpProxy): Promise<void> | void;
}

export const OUTAGES: readonly Outage[] = [
  {
    name: 'stopped (SIGSTOP)',
    keepsData: true,
    begin: (stage) => stage.redis.pause(),
    end: (stage) => stage.redis.resume(),
  },
  {
    name: 'in a black hole',
    keepsData: true,
    begin: (_, wire) => wire.blackHole(),
    end: (_, wire) => wire.restore(),
  },
  {
    name: 'killed, and started again on its port',
    keepsData: false,
    begin: (stage) => stage.redis.kill(),
    end: (stage) => stage.restart(),
  },
];
