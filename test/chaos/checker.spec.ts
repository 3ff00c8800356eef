import { describe, expect, test } from 'vitest';
import type { ChaosMode } from './chaos.types.js';
import { check } from './checker.js';
import { MS } from './violation.js';
import { WrittenHistory, type WrittenHold } from './written.history.js';

function found(story: WrittenHistory, mode: ChaosMode = 'strict') {
  return check(story.history, mode).violations.map(({ invariant, calls }) => [invariant, ...calls]);
}

describe('I1, exclusion', () => {
  test('one after the other is all right', () => {
    const story = new WrittenHistory();
    story.hold({ worker: 0, granted: 0, ended: 100, released: 110 });
    story.hold({ worker: 1, granted: 105, ended: 200, released: 201 });
    expect(found(story)).toEqual([]);
  });

  test('a grant while another holder relies on its lease is not', () => {
    const story = new WrittenHistory();
    const one = story.hold({ worker: 0, granted: 0, ended: 100, released: 110 });
    const other = story.hold({ worker: 1, granted: 90, ended: 200, released: 201 });
    expect(found(story)).toEqual([['I1', one, other]]);
  });

  test('a hold ends with its local deadline, whenever its process notices', () => {
    const story = new WrittenHistory();
    story.hold({ worker: 0, lease: 1000, granted: 0, ended: 5000, why: 'not held' });
    story.hold({ worker: 1, granted: 1001, ended: 1100, released: 1101 });
    expect(found(story)).toEqual([]);
  });

  test('a hold of a killed process ends with the process', () => {
    const story = new WrittenHistory();
    const dead = story.hold({ worker: 0, lease: 5000, granted: 0 });
    story.watch(100, { kind: 'signal', worker: 0, life: 0, what: 'kill' });
    story.hold({ worker: 1, granted: 200, ended: 300, released: 301 });
    expect(found(story)).toEqual([]);
    const other = new WrittenHistory();
    other.hold({ worker: 0, lease: 5000, granted: 0 });
    other.watch(250, { kind: 'signal', worker: 0, life: 0, what: 'kill' });
    const early = other.hold({ worker: 1, granted: 200, ended: 300, released: 301 });
    expect(found(other)).toEqual([['I1', dead, early]]);
  });

  test('readers share, a writer does not', () => {
    const story = new WrittenHistory();
    story.hold({ sort: 'read', worker: 0, granted: 0, ended: 100, released: 101 });
    const reader = story.hold({ sort: 'read', worker: 1, granted: 50, ended: 200, released: 201 });
    const writer = story.hold({ sort: 'write', worker: 2, granted: 150, ended: 250, released: 251 });
    expect(found(story)).toEqual([['I1', reader, writer]]);
  });

  test('a semaphore has room for so many, and not for one more', () => {
    const story = new WrittenHistory();
    const semaphore = { sort: 'permit', room: 2, permits: 1 } as const;
    const one = story.hold({ ...semaphore, worker: 0, granted: 0, ended: 100, released: 101 });
    story.hold({ ...semaphore, worker: 1, granted: 10, ended: 300, released: 301 });
    expect(found(story)).toEqual([]);
    const third = story.hold({ ...semaphore, worker: 2, granted: 90, ended: 200, released: 201 });
    expect(found(story)).toEqual([['I1', one, third]]);
  });

  test('after a loss of data the former holder may go on until its next renewal, and not longer', () => {
    const overlap = (until: number) => {
      const story = new WrittenHistory();
      story.hold({ worker: 0, granted: 0, ended: until, why: 'aborted' });
      story.fault(10, 20, 'FLUSHALL', true);
      story.hold({ worker: 1, granted: 30, ended: 2000, released: 2001 });
      return found(story, 'lossy').map(([invariant]) => invariant);
    };
    expect(overlap(360)).toEqual([]);
    expect(overlap(800)).toEqual(['I1']);
  });

  test('after a loss of data the former holder of a fixed lease may go on until its next check, which is as frequent as a renewal', () => {
    const overlap = (until: number) => {
      const story = new WrittenHistory();
      story.tell(0, 0, { kind: 'started', pid: 1, watchdog: 1500 });
      story.hold({ worker: 0, lease: 6000, granted: 0, ended: until, why: 'aborted' });
      story.fault(10, 20, 'FLUSHALL', true);
      story.hold({ worker: 1, lease: 10_000, granted: 30, ended: 6500, released: 6501 });
      return found(story, 'lossy').map(([invariant]) => invariant);
    };
    expect(overlap(600)).toEqual([]);
    expect(overlap(1500)).toEqual(['I1']);
  });

  test('without a loss of data nothing excuses an overlap, also in a run that has some', () => {
    const story = new WrittenHistory();
    story.fault(1, 2, 'FLUSHALL', true);
    const one = story.hold({ worker: 0, granted: 10, ended: 100, released: 110 });
    const other = story.hold({ worker: 1, granted: 90, ended: 200, released: 201 });
    expect(found(story, 'lossy')).toEqual([['I1', one, other]]);
  });
});

describe('I2, the end of a lease', () => {
  test('a signal that aborts after the lease is over is too late, unless the process stood still', () => {
    const late = (worker: number) => {
      const story = new WrittenHistory();
      story.hold({ worker: 0, lease: 1000, granted: 0, ended: 1400, why: 'aborted' });
      story.watch(900, { kind: 'signal', worker, life: 0, what: 'stop' });
      story.watch(1395, { kind: 'signal', worker, life: 0, what: 'resume' });
      return found(story).map(([invariant]) => invariant);
    };
    expect(late(1)).toEqual(['I2']);
    expect(late(0)).toEqual([]);
  });

  test('a holder that still relies on its lease at the first instruction after a stall is found', () => {
    const story = new WrittenHistory();
    const hold = story.hold({
      worker: 0,
      lease: 1000,
      granted: 0,
      ended: 2000,
      released: 2001,
      outcome: 'lost',
    });
    const looked = { kind: 'looked', op: story.lastOp, gap: 900 * MS, deadline: 949 * MS } as const;
    story.tell(0, 1900, { ...looked, isHeld: false });
    expect(found(story)).toEqual([]);
    story.tell(0, 1901, { ...looked, isHeld: true });
    expect(found(story)).toEqual([['I2', hold]]);
  });

  test('Redis reports another holder, or none', () => {
    const story = new WrittenHistory();
    const hold = story.hold({ granted: 0, holder: 'me:1', ended: 500, released: 501 });
    story.watch(100, { kind: 'seen', lock: 'a', from: 99 * MS, holders: ['me:1'] });
    story.watch(501, { kind: 'seen', lock: 'a', from: 499 * MS, holders: [] });
    expect(found(story)).toEqual([]);
    story.watch(200, { kind: 'seen', lock: 'a', from: 199 * MS, holders: [] });
    expect(found(story)).toEqual([['I2', hold]]);
  });
});

describe('I3, tokens', () => {
  const fenced = { sort: 'fenced', ended: 5, released: 5 } as const;

  test('a lower token after a higher one is found', () => {
    const story = new WrittenHistory();
    const high = story.hold({ ...fenced, sent: 0, granted: 1, token: 7 });
    const low = story.hold({ ...fenced, sent: 10, granted: 11, ended: 12, released: 13, token: 6 });
    expect(found(story)).toEqual([['I3', high, low]]);
  });

  test('of two that were on their way at the same time either may be the first', () => {
    const story = new WrittenHistory();
    story.hold({ ...fenced, sent: 0, granted: 4, ended: 5, token: 7 });
    story.hold({ ...fenced, sent: 3, granted: 6, ended: 7, released: 8, token: 6 });
    expect(found(story)).toEqual([]);
  });

  test('a loss of data excuses nothing, but a clock that was ahead before', () => {
    const tell = (clock: boolean) => {
      const story = new WrittenHistory();
      if (clock) story.fault(1, 2, 'clock of redis stepped', true);
      story.hold({ ...fenced, sent: 3, granted: 4, ended: 5, released: 6, token: 7 });
      story.fault(7, 8, 'FLUSHALL', true);
      story.hold({ ...fenced, sent: 10, granted: 11, ended: 12, released: 13, token: 6 });
      return found(story, 'lossy').map(([invariant]) => invariant);
    };
    expect(tell(false)).toEqual(['I3']);
    expect(tell(true)).toEqual([]);
  });

  test('of two that were on their way when tokens began anew either may be the first', () => {
    const story = new WrittenHistory();
    story.fault(1, 2, 'clock of redis stepped', true);
    story.hold({ ...fenced, sent: 3, granted: 4, token: 7 });
    story.fault(7, 8, 'FLUSHALL', true);
    story.hold({ ...fenced, sent: 10, granted: 15, ended: 16, released: 17, token: 6 });
    story.hold({ ...fenced, sent: 11, granted: 12, ended: 13, released: 14, token: 5 });
    expect(found(story, 'lossy')).toEqual([]);
    story.hold({ ...fenced, sent: 20, granted: 21, ended: 22, released: 23, token: 4 });
    expect(found(story, 'lossy').map(([invariant]) => invariant)).toEqual(['I3']);
  });
});

describe('I4, releases and renewals', () => {
  test('a lock that is gone in the middle of its lease was removed by another client', () => {
    const lost = (lossy: boolean) => {
      const story = new WrittenHistory();
      story.hold({ granted: 0, ended: 100, released: 110, outcome: 'lost' });
      if (lossy) story.fault(50, 51, 'FLUSHALL', true);
      return found(story, 'lossy').map(([invariant]) => invariant);
    };
    expect(lost(false)).toEqual(['I4']);
    expect(lost(true)).toEqual([]);
  });

  test('a hold that was lost before it was handed off inside the process was not granted again', () => {
    const story = new WrittenHistory();
    story.hold({ granted: 0, holder: 'me:1', ended: 60, released: 61 });
    story.fault(50, 51, 'FLUSHALL', true);
    story.hold({ granted: 62, holder: 'me:1', ended: 100, released: 110, outcome: 'lost' });
    expect(found(story, 'lossy')).toEqual([]);
  });

  test('a lock that is lost after its deadline was not', () => {
    const story = new WrittenHistory();
    story.hold({ lease: 1000, granted: 0, ended: 1200, released: 1201, outcome: 'lost' });
    expect(found(story)).toEqual([]);
  });

  test('a holder that has the lock again after its release is found', () => {
    const story = new WrittenHistory();
    const hold = story.hold({ granted: 0, holder: 'me:1', ended: 10, released: 20 });
    story.watch(32, { kind: 'seen', lock: 'a', from: 30 * MS, holders: ['me:1'] });
    expect(found(story)).toEqual([['I4', hold]]);
  });

  test('a holder id that goes on to the next hold of its process is not', () => {
    const story = new WrittenHistory();
    story.hold({ granted: 0, holder: 'me:1', ended: 10, released: 20 });
    story.hold({ granted: 11, holder: 'me:1', ended: 60, released: 61 });
    story.watch(32, { kind: 'seen', lock: 'a', from: 30 * MS, holders: ['me:1'] });
    expect(found(story)).toEqual([]);
  });

  test('nor is one that may have passed to a waiter of its process, which then left', () => {
    const story = new WrittenHistory();
    story.hold({ granted: 0, holder: 'me:1', ended: 10, released: 20 });
    story.hold({ wanted: 5, refused: 25 });
    story.watch(32, { kind: 'seen', lock: 'a', from: 30 * MS, holders: ['me:1'] });
    expect(found(story)).toEqual([]);
  });

  test('a renewal that succeeds after the lock was granted to another holder is found', () => {
    const story = new WrittenHistory();
    const one = story.hold({ worker: 0, granted: 0, ended: 400, why: 'aborted' });
    const op = story.lastOp;
    story.fault(10, 20, 'FLUSHALL', true);
    const other = story.hold({ worker: 1, sent: 29, granted: 30, ended: 50, released: 51 });
    story.tell(0, 334, { kind: 'deadline', op, deadline: (333 + 950) * MS });
    expect(found(story, 'lossy')).toEqual([['I4', one, other]]);
  });
});

describe('I5 and I9, what is left', () => {
  test('is distinguished by its holder', () => {
    const story = new WrittenHistory();
    const left = (name: string, what: 'key' | 'channel' | 'process' = 'key') =>
      story.watch(1000, { kind: 'left', what, name });
    left('p:a');
    left('redisson_lock_queue:{p:a}');
    left('redisson_lock__channel:{p:a}', 'channel');
    left('worker 1', 'process');
    story.tell(0, 999, { kind: 'idle', left: { timers: 1, leases: 0 } });
    expect(found(story).flat().toSorted()).toEqual(['I5', 'I5', 'I9', 'I9', 'I9']);
  });
});

describe('I7, the order of a fair lock', () => {
  const fair = { sort: 'fair', lock: 'f' } as const;

  test('a later waiter is not granted before an earlier one', () => {
    const story = new WrittenHistory();
    const one = story.hold({ ...fair, worker: 0, wanted: 0, granted: 900, ended: 950, released: 951 });
    const other = story.hold({ ...fair, worker: 1, wanted: 500, granted: 600, ended: 700, released: 701 });
    expect(found(story)).toEqual([['I7', one, other]]);
  });

  test('two waiters that came together have no order, and a process that was stopped has no place', () => {
    const story = new WrittenHistory();
    story.hold({ ...fair, worker: 0, wanted: 0, granted: 900, ended: 950, released: 951 });
    story.hold({ ...fair, worker: 1, wanted: 50, granted: 600, ended: 700, released: 701 });
    story.hold({ ...fair, worker: 2, wanted: 300, granted: 800, ended: 850, released: 851 });
    story.tell(0, 500, { kind: 'stalled', gap: 400 * MS });
    expect(found(story)).toEqual([]);
  });

  test('a dead waiter delays the others for 3 s, and not longer', () => {
    const delay = (granted: number) => {
      const story = new WrittenHistory();
      story.hold({ ...fair, worker: 0, wanted: 0, granted: 1, ended: 100, released: 101 });
      story.fault(50, 60, 'worker killed');
      story.hold({ ...fair, worker: 1, wanted: 90, granted, ended: granted + 1, released: granted + 2 });
      return found(story).map(([invariant]) => invariant);
    };
    expect(delay(3200)).toEqual([]);
    expect(delay(4000)).toEqual(['I7']);
  });
});

describe('I8, the lock of a dead holder', () => {
  const die = (granted: number, wire = false, passing?: WrittenHold) => {
    const story = new WrittenHistory();
    if (passing !== undefined) story.hold(passing);
    story.hold({ worker: 0, granted: 0 });
    story.watch(100, { kind: 'signal', worker: 0, life: 0, what: 'kill' });
    story.fault(100, 300, 'worker killed');
    if (wire) story.fault(500, 600, 'connection cut');
    story.hold({ worker: 1, wanted: 50, granted, ended: granted + 10, released: granted + 11 });
    return found(story).map(([invariant]) => invariant);
  };

  test('is granted again when its lease is over', () => expect(die(1120)).toEqual([]));
  test('is not granted much later', () => expect(die(2500)).toEqual(['I8']));
  test('is granted later when a call for several locks had it on its way to the next one', () => {
    const passing = { sort: 'multi', locks: ['a', 'b'], worker: 2, wanted: 200 } as const;
    expect(die(2500, false, { ...passing, refused: 2400 })).toEqual([]);
    expect(die(2500, false, { ...passing, refused: 500 })).toEqual(['I8']);
  });
  test('is granted later when another fault happened meanwhile', () => expect(die(2500, true)).toEqual([]));

  test('is granted to a writer when the last lease of all readers of the dead process is over', () => {
    const write = (granted: number) => {
      const story = new WrittenHistory();
      story.hold({ sort: 'read', worker: 0, granted: 0, lease: 500 });
      const last = story.hold({ sort: 'read', worker: 0, granted: 10, lease: 3200 });
      story.watch(100, { kind: 'signal', worker: 0, life: 0, what: 'kill' });
      story.fault(100, 300, 'worker killed');
      const times = { wanted: 50, granted, ended: granted + 10, released: granted + 11 };
      return { last, waiter: story.hold({ sort: 'write', worker: 1, wait: 10_000, ...times }), story };
    };
    expect(found(write(3250).story)).toEqual([]);
    const { last, waiter, story } = write(4500);
    expect(found(story)).toEqual([['I8', last, waiter]]);
  });

  test('is granted to a reader 2.25 s later when a writer waited in the dead process', () => {
    const read = (granted: number) => {
      const story = new WrittenHistory();
      story.hold({ sort: 'read', worker: 0, granted: 0 });
      story.hold({ sort: 'write', worker: 0, wanted: 50 });
      story.watch(100, { kind: 'signal', worker: 0, life: 0, what: 'kill' });
      story.fault(100, 300, 'worker killed');
      const times = { wanted: 90, granted, ended: granted + 10, released: granted + 11 };
      story.hold({ sort: 'read', worker: 1, wait: 10_000, ...times });
      return found(story).map(([invariant]) => invariant);
    };
    expect(read(3300)).toEqual([]);
    expect(read(5000)).toEqual(['I8']);
  });
});

describe('I8, a lock that is free and wanted', () => {
  /** Looks from outside, every 50 ms, that find the lock held, but free from one instant to the other. */
  const story = (free: readonly [number, number], waiter: WrittenHold) => {
    const written = new WrittenHistory();
    const id = written.hold({ worker: 1, wanted: 10, ...waiter });
    for (let at = 0; at < free[1]; at += 50) {
      const holders = at >= free[0] ? [] : ['somebody:1'];
      written.watch(at, { kind: 'seen', lock: 'a', from: at * MS, holders });
    }
    return { written, id };
  };
  const late = { granted: 1300, ended: 1310, released: 1311 };

  test('is found out when a live instance waits', () => {
    const { written, id } = story([500, 1300], late);
    expect(found(written)).toEqual([['I8', id]]);
    expect(check(written.history, 'strict').free).toEqual({ count: 1, longest: 750 * MS });
  });

  test('is no fault for the time that a waiter needs to come', () => {
    expect(found(story([500, 600], late).written)).toEqual([]);
  });

  test.each<[string, WrittenHold]>([
    ['nobody waits', { wanted: 1290, ...late }],
    ['the only call does not wait', { wait: 0, refused: 1300 }],
    ['the only call waits for several locks', { sort: 'multi', locks: ['a', 'b'], refused: 1300 }],
    ['the waiter gave up before', { refused: 520 }],
  ])('is no fault when %s', (_what, waiter) => {
    expect(found(story([500, 1300], waiter).written)).toEqual([]);
  });

  test('is no fault when a dead waiter of a fair lock is in the way', () => {
    expect(found(story([500, 1300], { sort: 'fair', ...late }).written)).toEqual([]);
  });

  test('is no fault when something else is wrong, or the process of the waiter stands still', () => {
    const cut = story([500, 1300], late).written;
    cut.fault(400, 450, 'connection cut');
    expect(found(cut)).toEqual([]);
    const stopped = story([500, 1300], late).written;
    stopped.watch(490, { kind: 'signal', worker: 1, life: 0, what: 'stop' });
    stopped.watch(1290, { kind: 'signal', worker: 1, life: 0, what: 'resume' });
    expect(found(stopped)).toEqual([]);
  });

  test('may be free until a waiter asks, when the grant of its last holder was never told, and two processes are stopped', () => {
    const { written } = story([500, 1300], late);
    written.hold({ worker: 3, wanted: 1, wait: 0, granted: 2, ended: 4, released: 5 });
    for (const worker of [0, 2]) {
      written.watch(200, { kind: 'signal', worker, life: 0, what: 'stop' });
      written.watch(1290, { kind: 'signal', worker, life: 0, what: 'resume' });
    }
    expect(found(written)).toEqual([]);
  });

  test('is not free for the whole time when it was held between two checks', () => {
    const { written } = story([500, 1300], late);
    for (const at of [620, 820, 1020, 1220])
      written.hold({ worker: 2, wanted: at - 1, wait: 0, granted: at, ended: at + 5, released: at + 6 });
    expect(found(written)).toEqual([]);
  });
});
