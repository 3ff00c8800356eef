import { describe, expect, test } from 'vitest';
import { TimerWheel } from '../timing/timer.wheel.js';
import type { NodeClient } from './node.client.js';
import { SlotFinder } from './slot.finder.js';

/** A node that names itself as the owner of all slots, and says whether it sees its cluster. */
function node(name: string, state: 'ok' | 'fail'): readonly [string, NodeClient] {
  const client = {
    status: 'ready',
    call: (_: string, what: string) =>
      Promise.resolve(what === 'SLOTS' ? [[0, 16_383, [name, 1, name]]] : `cluster_state:${state}\r\n`),
  };
  return [`${name}:1`, { ...Object.create(null), ...client }];
}

const finder = new SlotFinder({
  wheel: new TimerWheel(),
  rootNodes: [],
  clientOf: () => {
    throw new Error('connect ECONNREFUSED');
  },
});

describe('the slots of a cluster', () => {
  test('are not those that a node knows that is cut off from the others', async () => {
    const pool = [node('former', 'fail'), node('present', 'ok')];
    for (let round = 0; round < 10; round += 1)
      expect((await finder.find(pool, [], false)).masters).toEqual(['present:1']);
  });

  test('are those of such a node where no other one answers, unless the cluster must be up', async () => {
    const pool = [node('former', 'fail')];
    expect((await finder.find(pool, [], false)).masters).toEqual(['former:1']);
    await expect(finder.find(pool, [], true)).rejects.toThrow('former:1: CLUSTERDOWN');
  });

  test('are asked of another node first now and then', async () => {
    const pool = [node('one', 'ok'), node('other', 'ok')];
    const masters = new Set<string>();
    for (let round = 0; round < 100; round += 1)
      for (const master of (await finder.find(pool, [], false)).masters) masters.add(master);
    expect([...masters].toSorted()).toEqual(['one:1', 'other:1']);
  });
});
