import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { startRedis } from '../../tools/redis/redis.runner.mjs';
import type { RunningRedis } from '../../tools/redis/redis.types.js';
import { ProtocolStage } from './protocol.stage.js';
import {
  forceRead,
  forceWrite,
  lookRead,
  lookWrite,
  read,
  renewRead,
  renewWrite,
  rwNames,
  unread,
  unwrite,
  write,
  type Call,
  type RwNames,
} from './read-write.calls.js';
import { DEAD, free, put, reading, S, seen, send, sendBatch, shown, writing } from './read-write.stage.js';

const A = '6e38a1f0-0000-4000-8000-000000000001:1';
const B = '6e38a1f0-0000-4000-8000-000000000002:1';
const refusedBy = (code: string) => [-1, expect.stringMatching(new RegExp(`^${code} `)), expect.any(String)];

describe('a server of our own, whose settings may be spoiled', () => {
  let server: RunningRedis;
  let stage: ProtocolStage;
  let names: RwNames;
  beforeAll(async () => {
    server = await startRedis();
    stage = ProtocolStage.open(server.url);
  });
  beforeEach(() => {
    names = rwNames(stage.names().lock);
  });
  afterAll(async () => {
    await stage.close();
    await server.stop();
  });

  describe.each(['OOM', 'READONLY'] as const)('that answers %s', (code) => {
    test.each([
      ['an acquisition to read a free lock', free(), read(A, S, 1)],
      ['an acquisition to read with others', reading({ [B]: [S] }), read(A, 2 * S, 1)],
      ['a re-entry of a reader', reading({ [A]: [S] }), read(A, 2 * S, 2)],
      ['an acquisition to write', free(), write(A, S, 1)],
      ['a re-entry of a writer', writing(A, 1, S), write(A, 2 * S, 2)],
    ])('refuses %s by that code in front, and nothing is half written', async (_what, state, call) => {
      await put(stage, names, state);
      await stage.whileRefusing(code, async () => {
        expect(await send(stage, names, call)).toEqual(refusedBy(code));
      });
      expect(await seen(stage, names)).toEqual(shown(state, names));
    });

    test('still names the holder of the lock, also to a writer whose intent it refuses', async () => {
      const written = rwNames(stage.names().lock);
      await put(stage, names, reading({ [B]: [S] }));
      await put(stage, written, writing(B, 1, S));
      await stage.whileRefusing(code, async () => {
        expect(await send(stage, names, write(A, S, 1, S))).toEqual([0, S, B]);
        expect(await send(stage, written, read(A, S, 1))).toEqual([0, S, B]);
      });
      expect(await seen(stage, names)).toEqual(shown(reading({ [B]: [S] }), names));
    });
  });

  const READ = reading({ [A]: [S, S], [B]: [S] });
  const WRITTEN = writing(A, 2, 2 * S, S, S);
  test.each([
    ['a partial release of a reader', READ, unread(A, 1, 2 * S), [2, 1]],
    [
      'a partial release of a reader whose hold has run out',
      reading({ [A]: [DEAD, S] }),
      unread(A, 1, S),
      [2, 1],
    ],
    ['a release of a reader', READ, unread(A, 0, 1), [1, 0]],
    ['a renewal of a reader', READ, renewRead(A, 2 * S), [1, 2 * S]],
    ['a repeated acquisition to read', READ, read(A, 2 * S, 2), [1]],
    ['a forced unlock of readers', READ, forceRead(), [1, 0]],
    ['a partial release of a writer', WRITTEN, unwrite(A, 1, S), [2, 1]],
    ['a writer go on as a reader', WRITTEN, unwrite(A, 0, 1), [1, 0]],
    ['a release of a writer', writing(A, 1, S), unwrite(A, 0, 1), [1, 0]],
    ['a renewal of a writer', WRITTEN, renewWrite(A, 3 * S), [1, 3 * S]],
    ['a forced unlock of a writer', WRITTEN, forceWrite(), [1, 0]],
  ])('that is out of memory still lets %s happen', async (_what, state, call, reply) => {
    await put(stage, names, state);
    await stage.whileRefusing('OOM', async () => {
      expect(await send(stage, names, call)).toEqual(reply);
    });
  });

  test.each([
    ['a reader', READ, unread(A, 0, 1)],
    ['a writer', WRITTEN, unwrite(A, 0, 1)],
    ['readers by force', READ, forceRead()],
    ['a writer by force', WRITTEN, forceWrite()],
  ])('that may not write keeps the lock that a command takes from %s', async (_what, state, call) => {
    await put(stage, names, state);
    await stage.whileRefusing('READONLY', async () => {
      expect(await send(stage, names, call)).toEqual(refusedBy('READONLY'));
    });
    expect(await seen(stage, names)).toEqual(shown(state, names));
  });

  describe('and a user of limited rights', () => {
    async function limited(...rights: string[]): Promise<ProtocolStage> {
      await stage.redis.acl('SETUSER', 'limited', 'reset', 'on', '>secret', '~*', '&*', '+@all', ...rights);
      return ProtocolStage.open(server.url, { username: 'limited', password: 'secret' });
    }

    test('that may not publish frees the lock, and gets that answer', async () => {
      const user = await limited('resetchannels');
      const calls: readonly [typeof READ, Call][] = [
        [reading({ [A]: [S] }), unread(A, 0, 1)],
        [READ, forceRead()],
        [writing(A, 1, S), unwrite(A, 0, 1)],
        [WRITTEN, forceWrite()],
      ];
      for (const [state, call] of calls) {
        await put(stage, names, state);
        expect(await send(user, names, call)).toEqual([1, -1]);
        expect(await seen(stage, names)).toEqual({});
      }
      expect(await send(user, names, unread(A, 0, 1))).toEqual([0]);
      await user.close();
    });

    test('that may not touch hold keys is refused, and takes nothing', async () => {
      const user = await limited('resetkeys', `~${names.lock}`, `~${names.intent}`);
      expect(await send(user, names, read(A, S, 1))).toEqual([-1, expect.any(String), 'none']);
      expect(await seen(stage, names)).toEqual({});
      await user.close();
    });
  });
});

describe('a cluster of one node', () => {
  let node: RunningRedis;
  let cluster: ProtocolStage;
  beforeAll(async () => {
    node = await startRedis({ args: ['--cluster-enabled', 'yes'] });
    cluster = ProtocolStage.open(node.url);
    await cluster.redis.cluster('ADDSLOTS', ...Array.from({ length: 16_384 }, (_slot, index) => index));
    await vi.waitUntil(async () => (await cluster.redis.cluster('INFO')).includes('cluster_state:ok'), {
      timeout: 10_000,
    });
  });
  afterAll(async () => {
    await cluster.close();
    await node.stop();
  });

  test.each(['ledger', 'lock:ledger', '{tenant}:ledger', 'lock:{tenant}:ledger', 'größe', 'a:b:c'])(
    'runs every script of a lock named %s: also the keys that they compute are in its slot',
    async (name) => {
      const own = rwNames(name);
      const ask = async (call: Call) => (await sendBatch(cluster, [[own, call]]))[0];
      expect(await ask(write(A, S, 1))).toEqual([1, 1]);
      expect(await ask(read(A, S, 1))).toEqual([1]);
      expect(await ask(read(A, S, 2))).toEqual([1]);
      expect(await ask(renewWrite(A, 2 * S))).toEqual([1, 2 * S]);
      expect(await ask(lookWrite(A))).toEqual([1, 2 * S, 1, A, 1]);
      expect(await ask(unwrite(A, 0, 1))).toEqual([1, 0]);
      expect(await ask(renewRead(A, 2 * S))).toEqual([1, 2 * S]);
      expect(await ask(write(B, S, 1, S))).toEqual([0, 2 * S, A]);
      expect(await ask(lookRead(A))).toEqual([1, 2 * S, 2, A, 1]);
      expect(await ask(unread(A, 1, S))).toEqual([2, 1]);
      expect(await ask(forceRead())).toEqual([1, 0]);
      expect(await ask(unwrite(B, 0, 1))).toEqual([0]);
      expect(await ask(forceWrite())).toEqual([0]);
      expect(await cluster.redis.dbsize()).toBe(0);
    },
  );
});
