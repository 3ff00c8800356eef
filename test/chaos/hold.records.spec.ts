import { describe, expect, test } from 'vitest';
import { recordsOf } from './hold.records.js';
import { isHold, readCalls } from './holds.js';
import { Disturbances } from './spans.js';
import { MS } from './violation.js';
import { WrittenHistory } from './written.history.js';

function recordsIn({ history }: WrittenHistory) {
  return recordsOf(readCalls(history).filter(isHold), new Disturbances(history));
}

describe('the record of a hold', () => {
  test('is what its holder believed, and when', () => {
    const story = new WrittenHistory();
    story.hold({ wanted: 1, sent: 5, granted: 10, holder: 'me:1', ended: 90, released: 95 });
    expect(recordsIn(story)).toMatchObject([
      { client: '0.0', kind: 'mutex', keys: ['a'], owner: 'me:1@0.0.1', call: 5 * MS, held: 10 * MS },
    ]);
    expect(recordsIn(story)).toMatchObject([{ until: 90 * MS, answered: 95 * MS, lostFrom: undefined }]);
  });

  test('is not of a call that was refused', () => {
    const story = new WrittenHistory();
    story.hold({ wanted: 1, refused: 5 });
    expect(recordsIn(story)).toEqual([]);
  });

  test('has another owner when the holder id goes on to the next caller of the process, which called later', () => {
    const story = new WrittenHistory();
    story.hold({ sent: 5, granted: 10, holder: 'me:1', ended: 90, released: 95 });
    story.hold({ wanted: 50, sent: 5, granted: 91, holder: 'me:1', ended: 100, released: 101 });
    const [first, second] = recordsIn(story);
    expect(second?.owner).not.toBe(first?.owner);
    expect(second?.call).toBe(50 * MS);
  });

  test('has no answer when the process died, or its unlock failed', () => {
    const story = new WrittenHistory();
    story.hold({ worker: 1, lease: 5000, granted: 10 });
    story.watch(100, { kind: 'signal', worker: 1, life: 0, what: 'kill' });
    story.hold({ lock: 'b', granted: 10, ended: 90, released: 95, outcome: 'UNAVAILABLE' });
    const ends = recordsIn(story).map(({ until, answered }) => [until, answered]);
    expect(ends).toEqual([
      [100 * MS, Infinity],
      [90 * MS, Infinity],
    ]);
  });

  test('has no belief in a grant that was delivered when its lease was over', () => {
    const story = new WrittenHistory();
    story.hold({ lease: 1000, sent: 0, granted: 1500, ended: 1500, why: 'not held' });
    expect(recordsIn(story)).toMatchObject([{ call: 0, held: 1500 * MS, until: 950 * MS }]);
  });

  test('has the token of each grant, and where each re-entry was unlocked', () => {
    const story = new WrittenHistory();
    story.hold({ sort: 'fenced', granted: 10, token: 7, ended: 90, released: 95 });
    const op = story.lastOp;
    story.tell(0, 20, { kind: 'reentered', op, sent: 15 * MS, holder: 'holder:1', token: '8' });
    story.tell(0, 35, { kind: 'exited', op, sent: 30 * MS, outcome: 'kept' });
    const inner = { call: 15 * MS, held: 20 * MS, until: 30 * MS, answered: 35 * MS, token: '8' };
    expect(recordsIn(story)).toMatchObject([{ kind: 'fenced', token: '7', reentries: [inner] }]);
  });

  test('says which side of a read/write lock, and how many places of a semaphore', () => {
    const story = new WrittenHistory();
    story.hold({ sort: 'read', granted: 10, ended: 90, released: 95 });
    story.hold({ sort: 'write', granted: 100, ended: 190, released: 195 });
    story.hold({ sort: 'semaphore', lock: 's', room: 3, permits: 2, granted: 10, ended: 90, released: 95 });
    expect(recordsIn(story)).toMatchObject([
      { kind: 'read-write', side: 'read' },
      { kind: 'permits', room: 3, places: 2 },
      { kind: 'read-write', side: 'write' },
    ]);
  });
});

describe('after a loss of data', () => {
  const lost = (until: number, fault = 'FLUSHALL') => {
    const story = new WrittenHistory();
    story.hold({ granted: 0, ended: until, why: 'aborted' });
    story.fault(10, 20, fault, true);
    return recordsIn(story)[0]?.lostFrom;
  };

  test('a hold may be over from then on', () => {
    expect(lost(300)).toBe(10 * MS);
  });

  test('a hold that ended before is what it was', () => {
    expect(lost(9)).toBeUndefined();
  });

  test('a hold whose holder went on for longer than it may unawares was not lost', () => {
    expect(lost(900)).toBeUndefined();
  });

  test('a plain semaphore is not judged any more, and tokens are not once the clock of the store was stepped', () => {
    const story = new WrittenHistory();
    story.fault(10, 20, 'clock of redis stepped', true);
    story.hold({ sort: 'semaphore', lock: 's', room: 3, permits: 2, granted: 30, ended: 40, released: 41 });
    story.hold({ sort: 'fenced', granted: 30, token: 7, ended: 40, released: 41 });
    expect(recordsIn(story)).toMatchObject([{ kind: 'fenced', token: undefined }]);
  });
});
