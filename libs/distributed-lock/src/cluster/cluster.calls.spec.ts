import { describe, expect, test } from 'vitest';
import type { NodePort } from '../client-port/client.port.js';
import type { ClusterMap, NodeKey } from '../client-port/cluster.map.js';
import { RedisFailure } from '../redis/redis.failure.js';
import { TimerWheel } from '../timing/timer.wheel.js';
import { ClusterCalls } from './cluster.calls.js';

const nodeOf = (more: object = {}): NodePort => ({
  ...Object.create(null),
  status: 'ready',
  asking: () => Promise.resolve('OK'),
  ...more,
});

/** A map whose every refresh comes from a node that knows nothing of a change. */
class OutdatedMap {
  owner: NodeKey = 'former:1';
  refreshes = 0;
  /** The owner that a refresh tells. */
  learns: NodeKey | undefined;
  readonly dropped: NodeKey[] = [];
  isOnceDisconnected = false;
  readonly #nodes = new Map<NodeKey, NodePort>([
    ['former:1', nodeOf()],
    ['present:1', nodeOf()],
  ]);

  get port(): ClusterMap {
    const disconnect = () => void (this.isOnceDisconnected = true);
    const once = nodeOf({ on: () => undefined, once: () => undefined, disconnect });
    return {
      ...Object.create(null),
      ownerOf: () => this.owner,
      client: (key: NodeKey) => this.#nodes.get(key),
      keyAt: (address: string) => address,
      refresh: () => {
        this.refreshes += 1;
        this.owner = this.learns ?? this.owner;
        return Promise.resolve();
      },
      onRefresh: () => undefined,
      drop: (key: NodeKey) => void this.dropped.push(key),
      connectOnce: () => once,
    };
  }
}

const callsOf = (map: OutdatedMap) => new ClusterCalls(map.port, new TimerWheel());

const refusal = (message: string) =>
  new RedisFailure('refused', message, { code: /^[A-Z]+/.exec(message)?.[0] });

describe('a script whose slot has moved', () => {
  test('is sent to the node that the answer names, where the map does not know of the move yet', async () => {
    const map = new OutdatedMap();
    const sentTo: NodeKey[] = [];
    const reply = await callsOf(map).send('key', async ({ key }) => {
      sentTo.push(key);
      if (key === 'former:1') throw refusal('MOVED 42 present:1');
      return 'ran';
    });
    expect([reply, sentTo, map.refreshes]).toEqual(['ran', ['former:1', 'present:1'], 1]);
  });

  test('is sent to the node of the map, where that knows more than the answer', async () => {
    const map = new OutdatedMap();
    map.learns = 'present:1';
    const sentTo: NodeKey[] = [];
    const reply = await callsOf(map).send('key', async ({ key }) => {
      sentTo.push(key);
      if (key === 'former:1') throw refusal('MOVED 42 third:1');
      return 'ran';
    });
    expect([reply, sentTo]).toEqual(['ran', ['former:1', 'present:1']]);
  });

  test('is sent to the node of the map, where the answer names no host', async () => {
    const map = new OutdatedMap();
    let asked = 0;
    const reply = await callsOf(map).send('key', async () => {
      asked += 1;
      if (asked === 1) throw refusal('MOVED 42 :1');
      return 'ran';
    });
    expect([reply, asked]).toEqual(['ran', 2]);
  });
});

test('a node of a redirection that gives no sign of life loses its connection, as one of the map does', async () => {
  const map = new OutdatedMap();
  const calls = callsOf(map);
  const sent = calls.send('key', async ({ key }) => {
    if (key === 'former:1') throw refusal('ASK 42 fresh:1');
    return await new Promise<never>(() => undefined);
  });
  void sent.catch(() => undefined);
  await new Promise((resolve) => void setImmediate(resolve));
  calls.drop('fresh:1');
  expect([map.isOnceDisconnected, map.dropped]).toEqual([true, ['fresh:1']]);
});
