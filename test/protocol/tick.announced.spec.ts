import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { held, ProtocolStage, type Names } from './protocol.stage.js';
import { again, claim, jobChannel, RUNNER, type Claim } from './tick.calls.js';

const OTHER = '6e38a1f0-0000-4000-8000-000000000002:3';
const MINUTE = 60_000;

let stage: ProtocolStage;
let names: Names;
let jobs: string;
beforeAll(() => {
  stage = ProtocolStage.open(inject('redisUrl'));
});
afterAll(() => stage.close());
beforeEach(async () => {
  names = stage.names();
  jobs = jobChannel(names);
  await stage.listen(jobs);
});

/** Claims an interval whose last start is long ago. */
async function claimDue(given: Claim): Promise<unknown> {
  await stage.redis.hset(names.record, 'mark', (await stage.now()) - 2 * MINUTE);
  const due = { jobs, onCrash: 'retry', ...given, mode: 'interval', following: MINUTE };
  return (await claim(stage, names, due))[0];
}

async function die(): Promise<void> {
  await stage.put(names.lock, 'free');
}

const announced = () => stage.messages(jobs);

test('a run that may have to be repeated is announced once, also if its reply is lost and it is claimed again', async () => {
  expect([await claimDue({}), await claimDue({})]).toEqual([1, 1]);
  expect(await announced()).toEqual(['look']);
});

test.each<Claim>([{ onCrash: 'skip' }, { jobs: '' }])('a run is not announced with %j', async (given) => {
  expect(await claimDue(given)).toBe(1);
  expect(await announced()).toEqual([]);
});

test('a claim that finds a run under way is not announced', async () => {
  await claimDue({});
  expect(await claimDue({ holder: OTHER })).toBe(3);
  expect(await announced()).toEqual(['look']);
});

test('the repetition of a dead run is announced, whichever script grants it', async () => {
  await claimDue({});
  await die();
  expect(await claimDue({ holder: OTHER })).toBe(1);
  await die();
  expect((await again(stage, names, { jobs, onCrash: 'retry', gap: MINUTE }))[0]).toBe(1);
  expect(await announced()).toEqual(['look', 'look', 'look']);
});

test.each(['skip', 'retry'])(
  'a queued tick is announced under %s, and its run where it may have to be repeated',
  async (onCrash) => {
    await stage.put(names.lock, held({ [OTHER]: 1 }, MINUTE));
    expect(await claimDue({ onCrash, overlap: 'queue' })).toBe(7);
    expect(await announced()).toEqual(['look']);
    await die();
    expect((await again(stage, names, { jobs, onCrash, gap: MINUTE, holder: RUNNER }))[0]).toBe(1);
    expect(await announced()).toEqual(onCrash === 'retry' ? ['look', 'look'] : ['look']);
  },
);
