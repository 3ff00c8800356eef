import { expect, inject, test } from 'vitest';
import { scaled } from '../support/slowness.js';
import { TcpProxy } from '../support/faults/tcp.proxy.js';
import { missTick } from './missed.tick.js';

test(
  'a tick over which Redis was away is made up for on its return with catchUp, and without it is not',
  async () => {
    const proxy = await TcpProxy.open(Number(new URL(inject('redisUrl')).port));
    const outage = { url: proxy.url, begin: () => proxy.refuse(), end: () => proxy.restore() };
    await expect(missTick(outage).finally(() => proxy.close())).resolves.toBeUndefined();
  },
  scaled(40_000),
);
