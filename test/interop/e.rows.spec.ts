import { expect, test } from 'vitest';
import { interopRows } from './interop.rows.js';
import { timed } from './timed.js';

const stage = interopRows();

test('E1 fenced: J and N in turn, re-entries included; then N on a busy key without a lease', async () => {
  const { java, observer, notes } = stage();
  const lock = (await stage().node()).getFencedLock('e1');
  const tokens: bigint[] = [];
  for (let round = 0; round < 5; round += 1) {
    const j = java.owner().lock('fenced', 'e1');
    tokens.push(await j.lockAndGetToken(), await j.lockAndGetToken());
    expect(await lock.tryLock()).toBeNull();
    await j.unlock();
    await j.unlock();

    const outer = await lock.lock();
    tokens.push(outer.token);
    const inner = await outer.run(() => lock.lock());
    tokens.push(inner.token);
    expect(await j.tryLockAndGetToken(0)).toBeUndefined();
    expect(await j.getToken()).toBe(inner.token);
    await inner.unlock();
    await outer.unlock();
  }
  // A waiter of each side, granted by the other one's release.
  const [j, held] = [java.owner().lock('fenced', 'e1'), await lock.lock()];
  const byJava = j.lockAndGetToken();
  await stage().sleepers('e1');
  await held.unlock();
  tokens.push(held.token, await byJava);
  const byNode = timed(() => lock.lock());
  await stage().sleepers('e1');
  await j.unlock();
  const { value: last } = await byNode;
  tokens.push(last.token);
  await last.unlock();
  // As after a failover that lost the key: N starts at the clock, which is past all that it ever gave.
  await observer.redis.del('redisson_lock_token:{e1}');
  const again = await lock.lock();
  tokens.push(again.token);
  await again.unlock();
  tokens.push(await j.lockAndGetToken());
  await j.unlock();

  const falls = tokens.filter((token, index) => token <= (tokens[index - 1] ?? -1n));
  notes.push(
    `${tokens.length} tokens, from ${tokens[0]} over ${tokens[2]} to ${tokens.at(-1)}; ${falls.length} not above the one before`,
  );
  expect(falls).toEqual([]);

  await observer.redis.hset('e1', 'somebody:1', '1');
  expect(await lock.tryLock()).toBeNull();
  expect(await lock.tryLock({ waitTime: 300 })).toBeNull();
  // Redisson takes the missing lease for a grant (D10).
  expect(await j.tryLockAndGetToken(0)).toBe(-1n);
  await observer.redis.del('e1');
});
