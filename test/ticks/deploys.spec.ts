import { describe, expect, test as base } from 'vitest';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { OlderInstance } from './older.instance.js';
import { isRecorded, runsOf, settled, ticksAfter, tickFixtures, type TickFixtures } from './tick.fixtures.js';
import { awaitRun, errorsOfOthers, toldRuns } from './tick.runners.js';

const test = base.extend<TickFixtures>(tickFixtures);

describe.concurrent('case 7: a rolling deploy', { timeout: scaled(40_000) }, () => {
  test('with different sets of jobs: each job is run where it is known, and its record is touched there only', async ({
    fleet,
  }) => {
    await fleet.start({ jobs: ['counted'] });
    await until('a run', () => fleet.started('counted').length > 0);
    await fleet.start({ jobs: ['other'] }, { jobs: ['counted', 'other'] });
    const foreign = { v: '1', mark: '1000', app: 'elsewhere', schedule: 'never' };
    await fleet.admin.hset(`{${fleet.prefix}foreign}:tick`, foreign);
    const ticks = ticksAfter((await fleet.storeNow()) + 300, 4);
    await settled(fleet, ticks, ['counted', 'other']);
    expect(runsOf(fleet, 'counted', ticks)).toEqual(ticks);
    expect(runsOf(fleet, 'other', ticks)).toEqual(ticks);
    const pids = async (job: string) =>
      new Set((await fleet.runs(job)).map(({ instance }) => instance.split(':')[1]));
    const known = (...workers: readonly number[]) => workers.map((index) => `${fleet.workers[index]?.pid}`);
    expect(known(0, 2)).toEqual(expect.arrayContaining([...(await pids('counted'))]));
    expect(known(1, 2)).toEqual(expect.arrayContaining([...(await pids('other'))]));
    expect(await fleet.admin.hgetall(`{${fleet.prefix}foreign}:tick`)).toEqual(foreign);
    expect(fleet.errors).toEqual([]);
  });

  test('with an older version of the library: each tick runs once in both together', async ({ fleet }) => {
    const older = await OlderInstance.start(fleet.admin, `${fleet.prefix}counted`);
    const running = older.run();
    await until('a run of the older one alone', () => older.ran.length > 0);
    await fleet.start({}, { overlap: 'queue' }, { onCrash: 'retry' });
    const ticks = ticksAfter((await fleet.storeNow()) + 300, 5);
    await fleet.reach((ticks[2] ?? 0) + 500);
    older.stop();
    await running;
    await settled(fleet, ticks);
    const ran = [...older.ran, ...toldRuns(fleet).map(({ tick }) => tick)];
    expect(new Set(ran).size).toBe(ran.length);
    expect(ran).toEqual(expect.arrayContaining(ticks));
    const rows = (await fleet.runs('counted')).filter(({ tick }) => ticks.includes(tick));
    expect(rows.map(({ outcome, attempt }) => `${outcome} ${attempt}`)).toEqual(
      ticks.map(() => 'completed 1'),
    );
    // The newer ones run what nobody older takes.
    expect(runsOf(fleet, 'counted', ticks.slice(3))).toEqual(ticks.slice(3));
    expect(fleet.errors).toEqual([]);
  });

  test('with an older version: a run that dies under retry is closed by the older one, or repeated by a newer one', async ({
    fleet,
  }) => {
    const retried = { work: 'hang', onCrash: 'retry' } as const;
    await fleet.start(retried, retried);
    const { runner, tick } = await awaitRun(fleet, 'a run');
    const older = await OlderInstance.start(fleet.admin, `${fleet.prefix}counted`);
    await runner.kill();
    for (const worker of fleet.workers) if (worker !== runner) await worker.ask({ do: 'release' });
    const running = older.run();
    await until('ticks go on', () => new Set([...older.ran, ...told()]).size >= 3, 15_000);
    older.stop();
    await running;
    const rows = (await fleet.runs('counted')).filter((row) => row.tick === tick).toReversed();
    expect(rows[0]).toMatchObject({ outcome: 'crashed', attempt: 1 });
    expect(rows.slice(1).every(({ outcome, attempt }) => outcome === 'completed' && attempt === 2)).toBe(
      true,
    );
    expect(rows.length).toBeLessThanOrEqual(2);
    const later = [...older.ran, ...told()];
    expect(new Set(later).size).toBe(later.length);
    expect(errorsOfOthers(fleet, runner)).toEqual([]);

    function told(): number[] {
      return toldRuns(fleet).flatMap((run) => (run.tick > tick ? [run.tick] : []));
    }
  });

  test('with a newer version: unknown fields that it has written are kept', async ({ fleet }) => {
    const [record, runs] = [`{${fleet.prefix}counted}:tick`, `{${fleet.prefix}counted}:runs`];
    const now = await fleet.storeNow();
    const written = { app: 'ticks', instance: 'newer:1:1', start: now, shade: 'blue' };
    const died = { ...written, tick: now - 1, outcome: 'running', attempt: 1, token: '7' };
    const fields = {
      v: '2',
      mark: `${now - 1}`,
      colour: 'red',
      holder: 'newer:1',
      run: JSON.stringify(died),
    };
    await fleet.admin.hset(record, fields);
    const row = JSON.stringify({ ...written, tick: now - 2, outcome: 'parked', attempt: 0 });
    await fleet.admin.lpush(runs, row);
    await fleet.start({}, {});
    await until('three runs', () => toldRuns(fleet).length >= 3, 10_000);
    expect(await fleet.admin.hmget(record, 'v', 'colour')).toEqual(['2', 'red']);
    const texts = await fleet.admin.lrange(runs, 0, -1);
    expect(texts.at(-1)).toBe(row);
    const crashed = texts.find((text) => text.includes('"token":"7"'));
    expect(JSON.parse(crashed ?? '{}')).toMatchObject({ outcome: 'crashed', shade: 'blue' });
    const rows = await fleet.runs('counted');
    const [first = 0] = toldRuns(fleet).map(({ tick }) => tick);
    expect(isRecorded(rows, first)).toBe(true);
    expect(fleet.errors).toEqual([]);
  });
});
