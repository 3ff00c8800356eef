import { expect, test } from 'vitest';
import type { ClusterMap } from '../client-port/cluster.map.js';
import { RedisFailure } from '../redis/redis.failure.js';
import { TimerWheel } from '../timing/timer.wheel.js';
import { CommandConnection, type CommandConnectionParts } from './command.connection.js';

/** A connection whose server says to every script that its cluster is down. */
function downConnection(isCluster: boolean) {
  const done = { refreshes: 0, restarts: 0 };
  const map: ClusterMap = {
    ...Object.create(null),
    ownerOf: () => 'a:1',
    client: () => ({ status: 'ready' }),
    refresh: () => Promise.resolve(void (done.refreshes += 1)),
    onRefresh: () => undefined,
  };
  const parts: CommandConnectionParts = {
    ...Object.create(null),
    lifecycle: { client: {}, isReady: true, onReady: () => undefined },
    wheel: new TimerWheel(),
    stallTimeout: 10_000,
    restart: () => void (done.restarts += 1),
    map: isCluster ? map : undefined,
    sendScript: () =>
      Promise.reject(new RedisFailure('refused', 'CLUSTERDOWN down', { code: 'CLUSTERDOWN' })),
  };
  return { connection: new CommandConnection(parts), done };
}

const outcomeOf = (connection: CommandConnection) =>
  new Promise((resolve) =>
    connection.run({ ...Object.create(null), name: 'EVALSHA' }, ['sha', '1', 'key'], false, {
      answered: () => resolve('answered'),
      failed: ({ code }) => resolve(code),
    }),
  );

test('a node that says that its cluster is down has the map read again, now and then: it may have been replaced', async () => {
  const { connection, done } = downConnection(true);
  for (let calls = 0; calls < 3; calls += 1) expect(await outcomeOf(connection)).toBe('CLUSTERDOWN');
  expect(done).toEqual({ refreshes: 1, restarts: 0 });
});

test('one server that says so keeps its connection', async () => {
  const { connection, done } = downConnection(false);
  expect(await outcomeOf(connection)).toBe('CLUSTERDOWN');
  expect(done).toEqual({ refreshes: 0, restarts: 0 });
});
