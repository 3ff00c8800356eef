import { describe, expect, test, vi } from 'vitest';
import { LockEvents, type SectionListener } from './lock.events.js';

const EVENT = { acquisition: {}, lock: 'a', kind: 'reentrant', isReentry: false } as const;

const newEvents = (...listeners: readonly SectionListener[]) => {
  const failed = vi.fn<(event: string, error: unknown) => void>();
  const events = new LockEvents(failed);
  const ends = listeners.map((listener) => events.listen(listener));
  return { events, failed, ends };
};

describe('listening', () => {
  test('is known to be done, and to have ended, by one field', () => {
    const { events, ends } = newEvents({}, {});
    expect(events.hasListeners).toBe(true);
    ends[0]?.();
    ends[0]?.();
    expect(events.hasListeners).toBe(true);
    ends[1]?.();
    expect(events.hasListeners).toBe(false);
  });

  test('calls a method of the listener as its own', () => {
    class Counting {
      count = 0;
      attempt(): void {
        this.count += 1;
      }
    }
    const listener = new Counting();
    newEvents(listener).events.emit('attempt', EVENT);
    expect(listener.count).toBe(1);
  });

  test('can end while an event is sent: the other listeners receive it', () => {
    const attempt = vi.fn<() => void>();
    const { events, ends } = newEvents({ attempt: () => ends[0]?.() }, { attempt });
    events.emit('attempt', EVENT);
    events.emit('attempt', EVENT);
    expect(attempt).toHaveBeenCalledTimes(2);
  });

  test('that fails, now or later, is logged, and the other listeners receive the event', async () => {
    const attempt = vi.fn<() => void>();
    const [now, later] = [new Error('now'), new Error('later')];
    const { events, failed } = newEvents(
      { attempt: () => Promise.reject(later) },
      {
        attempt: () => {
          throw now;
        },
      },
      { attempt },
    );
    events.emit('attempt', EVENT);
    await vi.waitFor(() => expect(failed).toHaveBeenCalledTimes(2));
    expect(failed.mock.calls).toEqual([
      ['attempt', now],
      ['attempt', later],
    ]);
    expect(attempt).toHaveBeenCalledOnce();
  });
});

describe('work around which a listener stands', () => {
  test('runs inside of every listener, the last one outside', () => {
    const order: string[] = [];
    const around = (name: string) => (_: object, work: () => unknown) => {
      order.push(`into ${name}`);
      work();
      order.push(`out of ${name}`);
    };
    const { events } = newEvents({ around: around('a') }, {}, { around: around('b') });
    expect(events.around({}, () => order.push('work'))).toBe(3);
    expect(order).toEqual(['into b', 'into a', 'work', 'out of a', 'out of b']);
  });

  test.each<[string, Required<SectionListener>['around'], number]>([
    ['runs it twice', (_, work) => [work(), work()], 0],
    ['does not run it', () => undefined, 0],
    [
      'throws before it',
      () => {
        throw new Error('broken');
      },
      1,
    ],
    [
      'throws after it',
      (_, work) => {
        work();
        throw new Error('broken');
      },
      1,
    ],
  ])('runs once and keeps its result when a listener %s', (_, around, failures) => {
    const { events, failed } = newEvents({ around });
    const work = vi.fn<() => string>(() => 'done');
    expect(events.around({}, work)).toBe('done');
    expect(work).toHaveBeenCalledOnce();
    expect(failed).toHaveBeenCalledTimes(failures);
  });

  test('keeps its own error, which is none of the listener', () => {
    const { events, failed } = newEvents({ around: (_, work) => void work() });
    const error = new Error('of the work');
    const work = vi.fn<() => never>(() => {
      throw error;
    });
    expect(() => events.around({}, work)).toThrow(error);
    expect(work).toHaveBeenCalledOnce();
    expect(failed).not.toHaveBeenCalled();
  });
});
