import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ALL_PLANTED } from '../../tools/simulation/planted.all.mjs';
import { PLANTED } from '../../tools/simulation/planted.defects.mjs';
import { PLANTED_SOCKETS } from '../../tools/simulation/planted.sockets.mjs';
import { patternOf, plantDefects, SIMULATION } from '../../tools/simulation/simulation.bundler.mjs';

/** What the simulation prints, in a process of its own: it replaces the clocks and timers of its process. */
function simulate(args: readonly string[], file = SIMULATION): Promise<{ code: unknown; text: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [file, ...args], (error, text) => resolve({ code: error?.code ?? 0, text }));
  });
}

type Defects = Parameters<typeof plantDefects>[1];

/** The same with planted defects. */
async function simulateBroken(defects: Defects | undefined, args: readonly string[]) {
  const file = join(dirname(SIMULATION), `planted.${process.pid}.mjs`);
  await plantDefects(file, defects ?? []);
  try {
    return await simulate(args, file);
  } finally {
    await rm(file);
  }
}

/** New seeds are tried by `npm run check:seeds`, for each commit its own. */
describe('the simulation of a fleet', () => {
  test('finds a clock of Node in the library, and names the first event that differs', async () => {
    const defect = { from: 'const at = machine.global.Date.now();', to: 'const at = Date.now();' };
    const { code, text } = await simulateBroken([defect], ['--twice', '--seconds', '5']);
    expect([code, text]).toEqual([1, expect.stringMatching(/^seed 1: replay differs: event \d+ at /m)]);
  });

  test.each([
    [575_429_359, 'another process extends a permit of a dead one', []],
    [3_591_630_642, 'a candidate is shut down while the leader is dead', []],
    [98, 'Redis refused a multi lock for a while', []],
    [700_003, 'a record of a job has no mark', []],
    [740_777, 'a job is forgotten between the grant and the begin of a run', []],
    [741_935, 'one lock of a multi lock is freed by force', []],
    [3_554_121_775, 'a tick that comes again after a loss of data is forgotten before it begins', []],
    [741_066, 'a job with a dead run goes on after a pause, and no message says so', []],
    [700_049, 'a connection is given up while bytes wait behind those that are lost', ['--layer', 'socket']],
    [624_913_602, 'a process dies while its server stands still', ['--layer', 'socket']],
    [720_023, 'a process dies whose last renewal is sent again across an outage', ['--layer', 'socket']],
    [720_114, 'another process extends a permit whose holder is shut down', ['--layer', 'socket']],
    [720_236, 'the jobs are turned off at an instant of the clock of Redis', ['--layer', 'socket']],
    [720_243, 'a job was paused right after its record was forgotten', ['--layer', 'socket']],
    [730_314, 'a hold is lost while its renewal waits for a connection', ['--layer', 'socket']],
    [731_384, 'a job is forgotten and registered anew while it runs', ['--layer', 'socket']],
    [731_708, 'an interval is granted before a step of the clock of Redis', ['--layer', 'socket']],
    [110, 'a server stood still for longer than a lease', ['--layer', 'socket']],
    [102_020, 'the connection to a master ends while a grant waits to be sent', ['--topology', 'cluster']],
    [1061, 'a failover lost that waiters had left', ['--topology', 'sentinel']],
    [2405, 'a failover lost that waiters had left', ['--topology', 'sentinel']],
    [700_061, 'the master after a failover is gone as well', ['--topology', 'sentinel']],
    [700_092, 'an attempt that no replica had is given back after the next one', ['--topology', 'sentinel']],
    [700_437, 'a failover lost that a job was resumed', ['--topology', 'sentinel']],
    [742_290, 'a run dies whose tick comes on no other instance any more', ['--topology', 'one']],
    [
      742_538,
      'a lock is handed on in a process though the clock of Redis ended its lease',
      ['--topology', 'one'],
    ],
    [910_000_499, 'Redis refused a release inside a hold that then ends by itself', ['--topology', 'one']],
    [766_092, 'a requested run is granted at an instant that has come again', ['--topology', 'one']],
    [752_737, 'a tick runs on both sides of a split network', ['--topology', 'sentinel']],
    [50_360, 'an interval is retried after the clock of Redis stepped back', ['--topology', 'one']],
    [830_839, 'a failover brings back keys of a slot that has moved', ['--topology', 'cluster']],
    [500_013, 'a tick is claimed in the last millisecond of a lease', ['--topology', 'cluster']],
    [810_335, 'answers to renewals were lost on a server of a red lock', ['--topology', 'quorum']],
    [3064, 'a red lock was lost while a server still had it', ['--topology', 'quorum']],
  ])('breaks no rule with seed %i, where %s', async (seed, _where, args) => {
    const { code, text } = await simulate([...args, '--seed', `${seed}`]);
    expect([code, text]).toEqual([0, expect.stringContaining(' 0 violations')]);
  });

  test('has one place for each defect that is planted by `npm run simulate:defects`', async () => {
    const text = await readFile(SIMULATION, 'utf8');
    const lost = ALL_PLANTED.filter(({ defects }) =>
      defects.some(({ from }) => text.split(patternOf(from)).length !== 2),
    );
    expect(lost.map(({ name }) => name)).toEqual([]);
  });

  test('finds a planted defect, and shrinks its plan', async () => {
    const planted = PLANTED.find(({ name }) => name === 'a hold that does not look at its deadline');
    const args = ['--runs', '20', '--until-violation', '--shrink'];
    const { code, text } = await simulateBroken(planted?.defects, args);
    expect(code).toBe(1);
    const [, faults] = /the smallest plan that breaks [^:]+: (\d+) faults/.exec(text) ?? [];
    expect(Number(faults)).toBeLessThanOrEqual(5);
  });

  // From a seed on which shows it: one run, unless the draws of the simulation have changed.
  test.each([
    { name: 'a subscription that is reported as made again, and was not', seed: 11 },
    { name: 'a connection that is given up and whose last bytes still arrive', seed: 6 },
  ])('finds below the connections $name', async ({ name, seed }) => {
    const planted = PLANTED_SOCKETS.find((one) => one.name === name);
    const args = ['--layer', 'socket', '--seed', `${seed}`, '--runs', '60', '--until-violation'];
    const { code, text } = await simulateBroken(planted?.defects, args);
    expect([code, text]).toEqual([1, expect.stringMatching(/^seed \d+: .+ at [\d.]+ ms, event/m)]);
  });
});
