import { expect, test } from 'vitest';
import { semaphoreChannel, suffixName } from '../../libs/distributed-lock/src/scripts/wire.names.js';
import { SLOWNESS } from '../support/slowness.js';
import { interopRows } from './interop.rows.js';
import { expectPrompt } from './row.notes.js';
import { timed } from './timed.js';

const stage = interopRows();

/** How late a moment may be noticed that nobody tells, in ms. */
const SLEEP_BOUND = 500 * SLOWNESS;

async function asleep(name: string, clients: number): Promise<void> {
  await stage().sleepers(name, clients, semaphoreChannel(name));
  await stage().passed(50);
}

test('P1 a semaphore of 3: J takes 2, N takes 1, both wait, mixed releases', async () => {
  const { java, observer } = stage();
  const n = (await stage().node()).getSemaphore('p1');
  const j = java.owner().semaphore('p1');
  expect(await j.trySetPermits(3)).toBe(true);
  expect(await n.trySetPermits(5)).toBe(false);
  await j.acquire(2);
  await n.acquire();
  for (let round = 0; round < 5; round += 1) {
    expect((await java.owner().semaphore('p1').tryAcquire()).value).toBe(false);
    expect(await n.tryAcquire()).toBe(false);
    const first: string[] = [];
    const byJava = java.owner().semaphore('p1').acquire();
    const byNode = timed(() => n.acquire());
    void byJava.then(() => first.push('J'));
    void byNode.then(() => first.push('N'));
    await asleep('p1', 2);
    // One permit comes back, and one of the two gets it; then the other one.
    const [one, other] = round % 2 === 0 ? ['J', 'N'] : ['N', 'J'];
    const once = await timed<unknown>(() => (one === 'J' ? j.release() : n.release()));
    const winner = await Promise.race([byJava, byNode]);
    expectPrompt(stage(), `the first one, after a release of ${one},`, once, winner);
    await stage().passed(50);
    expect(first).toHaveLength(1);
    expect(await n.availablePermits()).toBe(0);
    const twice = await timed<unknown>(() => (other === 'J' ? j.release() : n.release()));
    const loser = first[0] === 'J' ? await byNode : await byJava;
    expectPrompt(stage(), `the second one, after a release of ${other},`, twice, loser);
    expect(await j.available()).toBe(0);
  }
  await j.release(2);
  await n.release();
  expect([await j.available(), await n.availablePermits()]).toEqual([3, 3]);
  expect(await j.drain()).toBe(3);
  await observer.redis.del('p1');
});

test('P2 N adds a negative number of permits, J waits', async () => {
  const { java, observer } = stage();
  const n = (await stage().node()).getSemaphore('p2');
  const j = java.owner().semaphore('p2');
  await n.trySetPermits(1);
  await n.acquire();
  const complaints = java.complaints.length;
  const waiting = j.acquire();
  await asleep('p2', 1);
  await n.addPermits(-2);
  expect(await java.owner().semaphore('p2').available()).toBe(-2);
  await n.release(2);
  expect(await n.availablePermits()).toBe(0);
  await stage().passed(100);
  const released = await timed(() => n.release());
  expectPrompt(stage(), 'J', released, await waiting);
  expect(java.complaints.slice(complaints)).toEqual([]);
  expect(await observer.heard(semaphoreChannel('p2'))).not.toContain('-2');
  await observer.redis.del('p2');
});

test('P3 expirable permits: given back by id across the sides; one of J runs out while N waits', async () => {
  const { java, observer, notes } = stage();
  const node = await stage().node();
  const n = node.getPermitExpirableSemaphore('p3');
  const j = java.owner().expirable('p3');
  const permits = async () => {
    const members = await observer.redis.zrangeBuffer(suffixName('p3', 'timeout'), 0, '-1');
    return members.map((member) => member.toString('hex'));
  };
  expect(await n.trySetPermits(1)).toBe(true);

  const { value: id } = await j.acquire();
  expect(await permits()).toEqual([id]);
  expect(await n.getLeaseTime(id)).toBe(-1);
  expect(await n.tryAcquire()).toBeNull();
  expect(await n.tryRelease(id)).toBe(true);
  expect(await j.tryRelease(id)).toBe(false);

  const handle = await n.acquire();
  expect(handle.holder).toMatch(/^[0-9a-f]{32}$/);
  expect(await permits()).toEqual([handle.holder]);
  expect(await j.available()).toBe(0);
  expect(await j.updateLease(handle.holder, 60_000)).toBe(true);
  expect(await j.leaseLeft(handle.holder)).toBeGreaterThan(50_000);
  const byJava = java.owner().expirable('p3').tryAcquire(5000);
  await asleep('p3', 1);
  const released = await j.release(handle.holder);
  const granted = await byJava;
  expectPrompt(stage(), 'J, after the permit of N was given back by its id,', released, granted);
  expect(await handle.unlock()).toBe('lost');
  await j.release(granted.value);

  const lease = 1000;
  const fixed = await j.acquire(lease);
  const late = await timed(() => n.acquire());
  notes.push(`N granted ${(late.at - fixed.at).toFixed(0)} ms after J took the permit for ${lease} ms`);
  expect(late.at - fixed.from).toBeGreaterThan(lease - 50);
  expect(late.at - fixed.at).toBeLessThan(lease + SLEEP_BOUND);
  expect(await j.tryRelease(fixed.value)).toBe(false);
  expect([await j.available(), await j.acquired()]).toEqual([0, 1]);
  expect(await late.value.unlock()).toBe('released');
  expect([await j.available(), await n.availablePermits()]).toEqual([1, 1]);
  expect(await n.delete()).toBe(true);
});
