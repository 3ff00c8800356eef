import { expect, test } from 'vitest';
import { until } from '../support/until.js';
import { lockLoop } from '../workers/interop/lock.loop.js';
import { interopRows, LONG } from './interop.rows.js';
import { longestPause, overlaps } from './lock.sections.js';

const stage = interopRows();

const MEMBERS = ['m1:a', 'm1:b', 'm1:c'];
const FOR = 4000;
const CALLERS = [1, 2, 3];

test('M1 a multi lock of 3, J and N contend, in the same order and in the opposite one', LONG, async () => {
  const { java, observer, notes } = stage();
  const node = await stage().node();
  for (const isSame of [true, false]) {
    const counter = `counter:m1:${isSame}`;
    const members = MEMBERS.map((name) => ({ kind: 'reentrant', name }) as const);
    const lock = node.getMultiLock(...(isSame ? MEMBERS : MEMBERS.toReversed()));
    const started = performance.now();
    const from = Number(process.hrtime.bigint() / 1000n);
    const [byJava, byNode] = await Promise.all([
      Promise.all(
        CALLERS.map(() =>
          java
            .owner()
            .multiLock(...members)
            .loop(counter, { ms: FOR }),
        ),
      ),
      Promise.all(
        CALLERS.map(() => lockLoop(lock, observer.redis, counter, () => performance.now() - started < FOR)),
      ),
    ]);
    const [ofJava, ofNode] = [byJava.flat(), byNode.flat()];
    const sections = [...ofJava, ...ofNode];
    const pause = longestPause(sections, from);
    const order = isSame ? 'same' : 'opposite';
    notes.push(
      `${order} order: ${ofJava.length} holds of J and ${ofNode.length} of N in ${FOR} ms; nobody was inside for up to ${pause.toFixed(0)} ms; J waited up to ${longestPause(ofJava, from).toFixed(0)} ms, N ${longestPause(ofNode, from).toFixed(0)} ms`,
    );
    expect(await observer.redis.get(counter)).toBe(`${sections.length}`);
    expect(overlaps(sections)).toBe(0);
    expect(longestPause(ofJava, from)).toBeLessThan(10_000);
    expect(longestPause(ofNode, from)).toBeLessThan(10_000);
    await until('all members are free', async () => (await observer.leftovers()).length === 0);
  }
});
