import { Redis } from 'ioredis';
import { until } from '../until.js';
import type { FaultStage } from './fault.stage.js';
import type { TcpProxy } from './tcp.proxy.js';

/** A way in which every command of a process fails, each at once, for a while. */
export interface PassingFailure {
  readonly how: string;
  /** Of the error that a caller gets. */
  readonly code: string;
  /** @returns what ends it */
  begin(stage: FaultStage, wire: TcpProxy): Promise<() => Promise<void>>;
}

export const PASSING_FAILURES: readonly PassingFailure[] = [
  { how: 'refuses it', code: 'REJECTED_BY_REDIS', begin: makeBusy },
  {
    how: 'is away',
    code: 'UNAVAILABLE',
    begin: async (_, wire) => {
      wire.refuse();
      return async () => wire.restore();
    },
  },
];

async function makeBusy({ admin, url }: FaultStage): Promise<() => Promise<void>> {
  await admin.config('SET', 'lua-time-limit', '50');
  const client = new Redis(url);
  const running = client.eval('while true do end', 0).catch(() => undefined);
  await until('Redis is busy', async () =>
    /BUSY/.test(await admin.get('probe').then(String, (error: unknown) => String(error))),
  );
  return async () => {
    await admin.script('KILL');
    await running;
    client.disconnect();
  };
}
