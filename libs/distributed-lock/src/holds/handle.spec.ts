import { expect, test, vi } from 'vitest';
import { HolderIds } from '../core/holder.ids.js';
import { instant, Lease } from '../renewal/lease.js';
import { ReentrantScripts } from '../scripts/reentrant.scripts.js';
import type { ScriptRunner } from '../script-runner/script.runner.js';
import { HoldHandle, type HandleOwner } from './handle.js';

test('an unlock inside of an unlock, by a listener to the end of an inner lease, is the same unlock', async () => {
  const release = vi.fn<() => Promise<'released'>>(() => Promise.resolve('released'));
  let inner: Promise<string> | undefined;
  let hears = true;
  const scripts = new ReentrantScripts({} as ScriptRunner);
  const hold = {
    lease: new Lease({ key: 'key', renewer: scripts, holderIds: new HolderIds() }, 'holder', 1000, instant()),
    checkDeadlines: () => {
      if (!hears) return;
      hears = false;
      inner = grant.unlock();
    },
    release,
  } as unknown as HandleOwner;
  const grant = new HoldHandle(hold, undefined, 0);
  expect(await grant.unlock()).toBe('released');
  expect(await inner).toBe('released');
  expect(release).toHaveBeenCalledOnce();
});
