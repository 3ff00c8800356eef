import { expect, test } from 'vitest';
import { markFire, markTimers, outsideFires, takeTick, type TickSource } from './tick.frame.js';

const job = { name: 'job' };

/** A source of ticks for `run` of one instance, which notes what ran. */
function sourceFor(instance: object, ran: string[] = []): TickSource & { readonly ran: string[] } {
  return {
    ran,
    tickOf: (asked, methodKey) =>
      asked !== instance || methodKey !== 'run'
        ? undefined
        : {
            run: async (work) => {
              ran.push('tick');
              return await work();
            },
          },
  };
}

test('a call outside any fire is a direct one', () => {
  expect(takeTick(job, 'run')).toBeUndefined();
});

test('the first call in a fire is the tick, and the second one is not', () => {
  markFire(sourceFor(job), () => {
    expect(takeTick(job, 'run')).toBeDefined();
    expect(takeTick(job, 'run')).toBeUndefined();
  });
  expect(takeTick(job, 'run')).toBeUndefined();
});

test('a call in a fire is the tick also after something was awaited', async () => {
  await markFire(sourceFor(job), async () => {
    await Promise.resolve();
    expect(takeTick(job, 'run')).toBeDefined();
  });
});

test('a fire is not used up by the call of a method that it is not for', () => {
  markFire(sourceFor(job), () => {
    expect(takeTick(job, 'other')).toBeUndefined();
    expect(takeTick({}, 'run')).toBeUndefined();
    expect(takeTick(job, 'run')).toBeDefined();
  });
});

test('what the work of a tick calls is direct, however late', async () => {
  const source = sourceFor(job);
  await markTimers(source, async () => {
    await takeTick(job, 'run')?.run(async () => {
      expect(takeTick(job, 'run')).toBeUndefined();
      await Promise.resolve();
      expect(takeTick(job, 'run')).toBeUndefined();
    });
  });
  expect(source.ran).toEqual(['tick']);
});

test('each of many timers that were set in one frame makes a tick of its own', async () => {
  const source = sourceFor(job);
  const timers = markTimers(source, () =>
    [1, 2].map(
      () => new Promise((resolve) => setTimeout(() => resolve(takeTick(job, 'run')?.run(() => 'ran')), 1)),
    ),
  );
  expect(await Promise.all(timers)).toEqual(['ran', 'ran']);
  expect(source.ran).toEqual(['tick', 'tick']);
});

test('the marks of two module instances hold around each other', () => {
  const other = {};
  markFire(sourceFor(job), () =>
    markFire(sourceFor(other), () => {
      expect(takeTick(job, 'run')).toBeDefined();
      expect(takeTick(other, 'run')).toBeDefined();
      expect(takeTick(job, 'run')).toBeUndefined();
    }),
  );
});

test('a call that is taken out of the fire is direct', () => {
  markFire(sourceFor(job), () => {
    expect(outsideFires(() => takeTick(job, 'run'))).toBeUndefined();
    expect(takeTick(job, 'run')).toBeDefined();
  });
});
