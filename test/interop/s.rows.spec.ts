import { expect, test } from 'vitest';
import { lockChannel } from '../../libs/distributed-lock/src/scripts/wire.names.js';
import { SLOWNESS } from '../support/slowness.js';
import { interopRows } from './interop.rows.js';
import { T } from './java.peer.js';
import { expectPrompt } from './row.notes.js';
import { JavaTaker, NodeTaker } from './takers.js';

const stage = interopRows();

/** How late a moment may be noticed of which there is no message, in ms. */
const SLEEP_BOUND = 500 * SLOWNESS;

test('S1 spin locks of either side against locks of the other, and against each other', async () => {
  const { java, observer, notes } = stage();
  const node = await stage().node();
  const scenes = [
    {
      name: 's1:js-n',
      holder: new JavaTaker(java, 'spin', 's1:js-n'),
      waiter: new NodeTaker(node, 'reentrant', 's1:js-n'),
    },
    {
      name: 's1:ns-j',
      holder: new NodeTaker(node, 'spin', 's1:ns-j'),
      waiter: new JavaTaker(java, 'reentrant', 's1:ns-j'),
    },
    {
      name: 's1:n-js',
      holder: new NodeTaker(node, 'reentrant', 's1:n-js'),
      waiter: new JavaTaker(java, 'spin', 's1:n-js'),
    },
    {
      name: 's1:j-ns',
      holder: new JavaTaker(java, 'reentrant', 's1:j-ns'),
      waiter: new NodeTaker(node, 'spin', 's1:j-ns'),
    },
    {
      name: 's1:js-ns',
      holder: new JavaTaker(java, 'spin', 's1:js-ns'),
      waiter: new NodeTaker(node, 'spin', 's1:js-ns'),
    },
    {
      name: 's1:ns-js',
      holder: new NodeTaker(node, 'spin', 's1:ns-js'),
      waiter: new JavaTaker(java, 'spin', 's1:ns-js'),
    },
  ];
  for (const { name, holder, waiter } of scenes) {
    await holder.take();
    expect((await waiter.take(0)).value).toBe(false);
    let isGranted = false;
    const waiting = waiter.take();
    void waiting.then(() => (isGranted = true));
    await stage().passed(300);
    expect(isGranted).toBe(false);
    const isTold = name !== 's1:js-n';
    if (!isTold) await stage().sleepers(name);
    const released = await holder.give();
    const granted = await waiting;
    const took = granted.at - released.from;
    // Redisson's spin lock publishes nothing: a waiter that listens is granted when the lease that it knows of ends.
    expect(took).toBeLessThan(T + SLEEP_BOUND);
    if (isTold) expectPrompt(stage(), name.slice(3), released, granted);
    else notes.push(`N behind a spin lock of J: granted ${took.toFixed(0)} ms after its silent release`);
    await waiter.give();
  }
  // Nor does N where no other client listens.
  expect(await observer.heard(lockChannel('s1:js-n'))).toEqual([]);
});
