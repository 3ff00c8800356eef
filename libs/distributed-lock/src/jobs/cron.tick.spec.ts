import { CronTime } from 'cron';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { SimulatedInstance, SimulatedStore, TRIP } from '../../../../test/ticks/store.simulation.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
function instants(from: number, to: number, period: number): number[] {
  const first = Math.ceil(from / period) * period;
  return Array.from({ length: Math.ceil((to - first) / period) }, (_, index) => first + index * period);
}

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-03-03T10:20:30.250Z') });
});
afterEach(() => {
  vi.useRealTimers();
});

describe.each([
  ['every second', '* * * * * *', 1000],
  ['every hour', '0 0 * * * *', HOUR],
] as const)('the only instance runs a job of %s', (_, cron, period) => {
  const cases = [
    0,
    15,
    -15,
    300,
    -300,
    999,
    -999,
    4500,
    -4500,
    17 * MINUTE,
    -17 * MINUTE,
    HOUR,
    -HOUR,
    90 * MINUTE,
    -90 * MINUTE,
    47 * HOUR,
  ];

  test.each(cases)('at each instant, with a store %i ms ahead of it', async (ahead) => {
    const store = new SimulatedStore(ahead);
    const instance = new SimulatedInstance(store, cron);
    // The first alarm tells the instance what the store's clock says.
    await vi.advanceTimersByTimeAsync(period + 500);
    const from = store.now;
    let most = 0;
    for (let step = 0; step < 50; step += 1) {
      await vi.advanceTimersByTimeAsync(period / 7);
      await vi.advanceTimersByTimeAsync(TRIP * 8);
      most = Math.max(most, store.wheel.size);
    }
    const to = store.now;
    instance.tick.stop();

    const expected = instants(from, to - period / 2, period);
    expect(store.ran.filter(({ tick }) => expected.includes(tick)).map(({ tick }) => tick)).toEqual(expected);
    expect(new Set(store.ran.map(({ tick }) => tick)).size).toBe(store.ran.length);
    for (const { tick, at } of store.ran.filter((run) => run.tick >= from))
      expect(at).toBeGreaterThanOrEqual(tick);
    expect(most).toBeLessThanOrEqual(1);
    expect(store.wheel.size).toBe(0);
    // One claim for each tick, another where it came early, and one a minute to compare the clocks.
    const rechecks = (to - from) / MINUTE;
    expect(store.claims.length).toBeLessThanOrEqual(
      2 * (expected.length + 5) + (period > MINUTE ? rechecks : 0),
    );
  });
});

describe('a cron tick', () => {
  test.each([0, -15, -450])(
    'is run by the call of the alarm, which waits for a store %i ms ahead',
    async (ahead) => {
      const store = new SimulatedStore(ahead);
      const instance = new SimulatedInstance(store, '*/10 * * * * *');
      await vi.advanceTimersByTimeAsync(35_000);
      instance.tick.stop();
      expect(store.ran.map(({ tick }) => tick % MINUTE)).toEqual([40_000, 50_000, 0]);
      expect(instance.worked).toHaveLength(3);
      for (const [index, at] of instance.worked.entries())
        expect(at - (store.ran[index]?.tick ?? 0)).toBeLessThan(50);
    },
  );

  test('is not lost after a run that ends behind the next alarm, which waitForCompletion leaves out', async () => {
    const store = new SimulatedStore(-400);
    const instance = new SimulatedInstance(store, '* * * * * *', 1, { work: 800, waitsForCompletion: true });
    await vi.advanceTimersByTimeAsync(10_500);
    instance.tick.stop();
    const ticks = store.ran.map(({ tick }) => tick);
    expect(ticks.length).toBeGreaterThan(7);
    expect(ticks).toEqual(instants(ticks[0] ?? 0, (ticks.at(-1) ?? 0) + 1, 1000));
  });

  test('of a schedule that is replaced while the alarm waits is not run', async () => {
    const store = new SimulatedStore(-400);
    const instance = new SimulatedInstance(store, '*/10 * * * * *');
    await vi.advanceTimersByTimeAsync(9900);
    instance.tick.stop();
    instance.job.cronTime = new CronTime('0 0 3 * * *', 'UTC');
    instance.tick.resume();
    await vi.advanceTimersByTimeAsync(1000);
    instance.tick.stop();
    expect(store.ran).toEqual([]);
  });

  test('whose job is stopped while the alarm waits for its instant is not run', async () => {
    const store = new SimulatedStore(-400);
    const instance = new SimulatedInstance(store, '*/10 * * * * *');
    await vi.advanceTimersByTimeAsync(10_000);
    expect([instance.calls, store.wheel.size]).toEqual([1, 1]);
    instance.tick.stop();
    await vi.advanceTimersByTimeAsync(1);
    expect([instance.calls, store.wheel.size]).toEqual([0, 0]);
    await vi.advanceTimersByTimeAsync(1000);
    expect([store.ran, instance.worked]).toEqual([[], []]);
  });

  test('is run, though its job was stopped and started again while the alarm waited for its instant', async () => {
    const store = new SimulatedStore(-400);
    const instance = new SimulatedInstance(store, '*/10 * * * * *');
    await vi.advanceTimersByTimeAsync(9900);
    instance.tick.stop();
    await vi.advanceTimersByTimeAsync(100);
    instance.tick.resume();
    await vi.advanceTimersByTimeAsync(1000);
    instance.tick.stop();
    expect(store.ran.map(({ tick }) => tick % MINUTE)).toEqual([40_000]);
  });

  test('that lies ahead for the store when the application starts is run, though its alarm would have been before', async () => {
    const store = new SimulatedStore(-40_000);
    const { tick } = new SimulatedInstance(store, '0 * * * * *');
    await vi.advanceTimersByTimeAsync(1);
    tick.resume();
    void store.ready().then(() => tick.catchUp());
    await vi.advanceTimersByTimeAsync(40_000);
    tick.stop();
    expect(store.ran.map((run) => run.tick)).toContain(Date.UTC(2026, 2, 3, 10, 20));
  });

  test('is the call of the scheduler, though its job was started shortly before', async () => {
    const store = new SimulatedStore(5);
    const instance = new SimulatedInstance(store, '*/10 * * * * *');
    await vi.advanceTimersByTimeAsync(19_720);
    instance.tick.stop();
    instance.tick.resume();
    await vi.advanceTimersByTimeAsync(1000);
    instance.tick.stop();
    expect([store.ran.length, instance.worked.length]).toEqual([2, 2]);
  });

  test('of an alarm is run, though its job gets a date in the moment of the alarm', async () => {
    const store = new SimulatedStore(0);
    const { tick, job } = new SimulatedInstance(store, '*/10 * * * * *', 1000);
    await vi.advanceTimersByTimeAsync(9750);
    const call = tick.run(() => 'ran');
    tick.stop();
    job.cronTime = new CronTime(new Date(Date.now() + HOUR));
    tick.resume();
    await vi.advanceTimersByTimeAsync(20);
    await expect(call).resolves.toBe('ran');
    expect(store.wheel.size).toBe(0);
    tick.stop();
  });

  test('whose alarm was left out during the end of the call before it is not lost', async () => {
    const store = new SimulatedStore(-400);
    const does = { work: 570, after: 60, waitsForCompletion: true };
    const instance = new SimulatedInstance(store, '* * * * * *', 1, does);
    await vi.advanceTimersByTimeAsync(10_500);
    instance.tick.stop();
    const ticks = store.ran.map(({ tick }) => tick);
    expect(ticks).toEqual(instants(ticks[0] ?? 0, (ticks.at(-1) ?? 0) + 1, 1000));
    expect(ticks.length).toBeGreaterThan(7);
  });

  test.each(['its job was stopped', 'the application was closed'])(
    'is not waited for when %s in the moment of the alarm',
    async (what) => {
      const store = new SimulatedStore(-400);
      const { tick } = new SimulatedInstance(store, '*/10 * * * * *');
      await vi.advanceTimersByTimeAsync(19_700);
      vi.setSystemTime(Date.now() + 50);
      const call = tick.run(() => undefined);
      if (what === 'its job was stopped') tick.stop();
      else store.isClosed = true;
      await vi.advanceTimersByTimeAsync(1);
      await expect(call).resolves.toBeUndefined();
      expect(store.wheel.size).toBe(0);
    },
  );

  test('of an alarm that comes more than half a second early is not lost while Redis does not answer in time', async () => {
    const store = new SimulatedStore(-700);
    const instance = new SimulatedInstance(store, '0 0 * * * *');
    await vi.advanceTimersByTimeAsync(99 * MINUTE + 29_000);
    store.isAway = true;
    await vi.advanceTimersByTimeAsync(2500);
    store.isAway = false;
    await vi.advanceTimersByTimeAsync(10_000);
    instance.tick.stop();
    expect(store.ran.at(-1)?.tick).toBe(Date.UTC(2026, 2, 3, 12));
  });

  test('whose alarm is late by more than the clock is ahead is the call of the scheduler', async () => {
    const store = new SimulatedStore(-3);
    const instance = new SimulatedInstance(store, '* * * * * *', 1, { work: 958, waitsForCompletion: true });
    instance.late = 6;
    await vi.advanceTimersByTimeAsync(10_500);
    instance.tick.stop();
    expect(store.ran.length).toBeGreaterThan(3);
    expect(instance.worked).toHaveLength(store.ran.length);
  });

  test('that comes early by a timer is waited for', async () => {
    const store = new SimulatedStore(0);
    const early = new SimulatedInstance(store, '*/10 * * * * *', -20);
    await vi.advanceTimersByTimeAsync(35_000);
    expect(store.ran.map(({ tick }) => tick % MINUTE)).toEqual([40_000, 50_000, 0]);
    for (const { tick, at } of store.ran) expect(at - tick).toBeLessThan(20);
    early.tick.stop();
  });

  test('of an alarm that is late by more than the grace is run, when the alarm was set for it', async () => {
    const store = new SimulatedStore(0);
    const { tick } = new SimulatedInstance(store, '0 0 * * * *', 20 * MINUTE);
    await vi.advanceTimersByTimeAsync(HOUR + 30 * MINUTE);
    expect(store.ran.map((run) => new Date(run.tick).toISOString())).toEqual(['2026-03-03T11:00:00.000Z']);
    tick.stop();
  });

  test("that is older than the grace, and not its alarm's, is closed and not run", async () => {
    const store = new SimulatedStore(-30 * MINUTE);
    const { tick } = new SimulatedInstance(store, '0 0 * * * *');
    await vi.advanceTimersByTimeAsync(MINUTE);
    store.isAway = true;
    // By the store it is 10:30 when the alarm of 11:00 asks for the first time.
    await vi.advanceTimersByTimeAsync(42 * MINUTE);
    store.isAway = false;
    await vi.advanceTimersByTimeAsync(HOUR);
    expect(store.ran.map((run) => new Date(run.tick).toISOString())).toEqual(['2026-03-03T11:00:00.000Z']);
    expect(
      store.claims.filter(({ mode }) => mode === 'close').map((claim) => new Date(claim.tick).toISOString()),
    ).toEqual(expect.arrayContaining(['2026-03-03T10:00:00.000Z']));
    tick.stop();
  });

  test('waits for nothing while the store is away, but its next instant', async () => {
    const store = new SimulatedStore(HOUR);
    const { tick } = new SimulatedInstance(store, '* * * * * *');
    await vi.advanceTimersByTimeAsync(3000);
    store.isAway = true;
    const before = store.claims.length;
    for (let second = 0; second < 20; second += 1) {
      await vi.advanceTimersByTimeAsync(1000);
      expect(store.wheel.size).toBeLessThanOrEqual(1);
    }
    expect(store.claims.length - before).toBeLessThanOrEqual(2 * 20);
    tick.stop();
  });

  test("rests while the store's clock is behind its last tick, and is back when it was set right", async () => {
    const store = new SimulatedStore(0);
    const { tick } = new SimulatedInstance(store, '* * * * * *');
    await vi.advanceTimersByTimeAsync(3000);
    store.ahead = -HOUR;
    await vi.advanceTimersByTimeAsync(10_000);
    const resting = store.ran.length;
    const asked = store.claims.length;
    await vi.advanceTimersByTimeAsync(5 * MINUTE);
    expect(store.ran).toHaveLength(resting);
    expect(store.claims.length - asked).toBeLessThanOrEqual(6);
    store.ahead = 0;
    await vi.advanceTimersByTimeAsync(MINUTE + 2000);
    expect(store.ran.length).toBeGreaterThan(resting);
    tick.stop();
  });

  test('follows a schedule that was replaced', async () => {
    const store = new SimulatedStore(0);
    const instance = new SimulatedInstance(store, '* * * * * *');
    await vi.advanceTimersByTimeAsync(2000);
    instance.job.cronTime = new CronTime('*/5 * * * * *', 'UTC');
    const before = store.ran.length;
    await vi.advanceTimersByTimeAsync(20_000);
    expect(store.ran.slice(before + 1).map(({ tick }) => tick % 5000)).toEqual(
      [0, 0, 0, 0].slice(0, store.ran.length - before - 1),
    );
    instance.tick.stop();
  });
});
