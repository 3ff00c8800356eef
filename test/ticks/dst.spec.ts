import { describe, expect, test } from 'vitest';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { HAS_FAKE_CLOCK, onFakeStore } from './fake.store.js';
import type { TickFleet } from './tick.fleet.js';

/** How long before an instant the clocks stand when instances start, in ms: longer where they were not ready in time. */
const LEADS = [2500, 15_000];

/** How long a run may take to have ended once the clocks stand before its instant, in ms. */
const SOON = Math.max(...LEADS) + 10_000;

const BERLIN = 'Europe/Berlin';
const SYDNEY = 'Australia/Sydney';

interface DailySchedule {
  readonly zone: string;
  readonly cron: string;
}

/** A fleet whose clocks, and that of Redis, can be set to any moment. */
class TravellingFleet {
  constructor(
    readonly fleet: TickFleet,
    private readonly set: (offset: number) => Promise<void>,
    private readonly schedule: DailySchedule,
  ) {}

  /** Replaces all processes by new ones, with all clocks shortly before that moment. */
  async restartBefore(moment: number): Promise<void> {
    const isFirst = this.fleet.workers.length === 0;
    for (const lead of LEADS) {
      await Promise.all(this.fleet.workers.map((worker) => worker.kill()));
      // What came too late has made the job known too late.
      if (isFirst) await this.fleet.admin.flushall();
      const start = await this.fleet.prepare(2);
      const shift = moment - lead - Date.now();
      await this.set(shift / 1000);
      await start({ cron: this.schedule.cron, timeZone: this.schedule.zone, shift });
      await until('the job is known', async () => (await this.fleet.markOf('counted')) !== undefined);
      if ((await this.fleet.storeNow()) < moment) return;
    }
    throw new Error('the instances were never ready in time');
  }

  /** Waits until a run has ended. */
  async completed(): Promise<void> {
    let rows: unknown;
    const isOver = async () => {
      const found = await this.fleet.runs('counted');
      rows = found;
      return found.some(({ outcome }) => outcome === 'completed');
    };
    await until('a run', isOver, SOON).catch((error: unknown) => {
      throw new Error(`${String(error)}: ${JSON.stringify(rows)}`);
    });
  }

  /** Runs so far, as the instances told of them. */
  get runs(): (number | undefined)[] {
    return this.fleet.started('counted').map(({ tick }) => tick);
  }
}

async function travel(
  schedule: DailySchedule,
  from: number,
  use: (fleet: TravellingFleet) => Promise<void>,
): Promise<void> {
  await onFakeStore((from - Date.now()) / 1000, async (fleet, set) => {
    const travelling = new TravellingFleet(fleet, set, schedule);
    await travelling.restartBefore(from);
    await use(travelling);
    expect(fleet.errors).toEqual([]);
  });
}

describe.skipIf(!HAS_FAKE_CLOCK)(
  'case 10: a daily job in the hour in which clocks are set',
  { timeout: scaled(90_000) },
  () => {
    const repeats = [
      [BERLIN, '2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z'],
      [SYDNEY, '2027-04-03T15:30:00Z', '2027-04-03T16:30:00Z'],
    ] as const;

    test.for(repeats)(
      'runs in the first pass of a repeated hour in %s, and not again in a process restarted in the second',
      async ([zone, first, second]) => {
        const [tick, again] = [Date.parse(first), Date.parse(second)];
        await travel({ zone, cron: '30 2 * * *' }, tick, async (travelling) => {
          await travelling.completed();
          await travelling.restartBefore(again);
          await travelling.fleet.reach(again + 1500);
          expect(travelling.runs).toEqual([tick]);
          expect(await travelling.fleet.runs('counted')).toMatchObject([
            { tick, outcome: 'completed', attempt: 1 },
          ]);
        });
      },
    );

    const gaps = [
      [BERLIN, '30 2 * * *', '2027-03-28T01:00:00Z', '2027-03-28T01:30:00Z'],
      // In the south cron fires half an hour late for 02:30, so its process would have to live on: 02:00 is left out as well.
      [SYDNEY, '0 2 * * *', '2026-10-03T16:00:00Z', '2026-10-03T16:30:00Z'],
    ] as const;

    test.for(gaps)(
      'that the clocks of %s leave out ("%s") runs once, as the first instant after the gap, also in processes restarted later',
      async ([zone, cron, end, later]) => {
        const [tick, after] = [Date.parse(end), Date.parse(later)];
        await travel({ zone, cron }, tick, async (travelling) => {
          await travelling.completed();
          await travelling.restartBefore(after);
          await travelling.fleet.reach(after + 1500);
          expect(travelling.runs).toEqual([tick]);
          expect(await travelling.fleet.runs('counted')).toMatchObject([
            { tick, outcome: 'completed', attempt: 1 },
          ]);
        });
      },
    );
  },
);
