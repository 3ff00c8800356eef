import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { REMEDIES } from './error.table.js';
import { LockLostError } from './lock.errors.js';
import { groupLoss, LOSSES, overheld, type LossReason } from './loss.reasons.js';

const ALL: readonly (readonly [string, LossReason])[] = [
  ...Object.entries(LOSSES),
  ['overheld', overheld(5000)],
  ['group', groupLoss('only 1 of its 2 locks are held, and 2 are needed', LOSSES.forced, 'a')],
  [
    'group without a reason',
    groupLoss('only 1 of its 2 locks are held, and 2 are needed', undefined, undefined),
  ],
];

/** Where a longer lease, or a freer event loop, would have helped. */
const OF_TIME = ['leaseOver', 'innerLeaseOver', 'stalled', 'unrenewed', 'gone', 'group without a reason'];

describe('every reason of a loss', () => {
  test.each(ALL)('%s has a remedy that is a sentence, and stands at the end of the message', (_, reason) => {
    expect(reason.remedy).toMatch(/^[A-Z].+\.$/s);
    expect(reason.remedy.length).toBeLessThan(200);
    const error = LockLostError.of('x', reason);
    expect(error).toMatchObject({ lock: 'x', why: reason.why, remedy: reason.remedy });
    expect(error.message).toBe(`Lock "x" is no longer held: ${reason.why}. ${reason.remedy}`);
    expect(error.reason).toEqual({ code: 'LOST', ...reason });
  });

  test.each(ALL)('%s names a longer lease only where that helps', (name, { remedy }) => {
    expect(/[Rr]aise leaseTime|Raise the leaseTime|lockWatchdogTimeout/.test(remedy)).toBe(
      OF_TIME.includes(name),
    );
  });

  test('no two of them have the same remedy for different causes', () => {
    const remedies = Object.values(LOSSES).map(({ remedy }) => remedy);
    expect(new Set(remedies).size).toBe(remedies.length);
  });
});

test('the library makes a LockLostError from a reason only, which has its remedy', () => {
  const root = fileURLToPath(new URL('../', import.meta.url));
  const sources = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (file) =>
      file.endsWith('.ts') && !file.endsWith('.spec.ts') && !file.replaceAll('\\', '/').startsWith('errors/'),
  );
  const direct = sources.filter((file) => readFileSync(root + file, 'utf8').includes('new LockLostError('));
  expect(sources.length).toBeGreaterThan(100);
  expect(direct).toEqual([]);
});

test('a user can make one as before, with the remedy of its code', () => {
  expect(new LockLostError('x', 'it rained').remedy).toBe(REMEDIES.LOST);
  expect(new LockLostError('x', 'it rained', 'MAX_HOLD').remedy).toBe(REMEDIES.MAX_HOLD);
});
