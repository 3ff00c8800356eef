import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ILLEGAL_DEFECTS } from '../../tools/porcupine/illegal.defects.mjs';
import { buildJudge } from '../../tools/porcupine/judge.mjs';
import { byPlace, judgeSimulated } from '../../tools/porcupine/simulated.histories.mjs';
import { PLACES } from '../../tools/simulation/simulated.places.mjs';
import { plantDefects, SIMULATION } from '../../tools/simulation/simulation.bundler.mjs';
import { Unavailable } from '../../tools/test/unavailable.mjs';

const isAvailable = await buildJudge().then(
  () => true,
  (error: unknown) => {
    if (error instanceof Unavailable) return false;
    throw error;
  },
);

/** Those that show in nearly each run: `npm run judge:simulation` has more of them, and more runs. */
const DEFECTS = ILLEGAL_DEFECTS.filter(({ shows }) => shows === 'soon');

describe.skipIf(!isAvailable)('Porcupine', () => {
  let folder = '';

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'simulated-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  test.each(PLACES)(
    'calls simulated histories of each kind ok: $name',
    async ({ name, options, families }) => {
      const what = {
        options: [...options, '--seconds', '10'],
        seed: 1,
        runs: name.startsWith('one') ? 2 : 1,
      };
      const judged = byPlace(await judgeSimulated(SIMULATION, join(folder, name), what));
      const kinds = families.map((family) => `${name} ${family}`);
      expect([...new Set(judged.map(({ kind }) => kind))].toSorted()).toEqual(kinds.toSorted());
      expect(judged.filter(({ verdict }) => verdict !== 'ok')).toEqual([]);
    },
  );

  test.each(DEFECTS)('calls simulated histories illegal: $name', async ({ name, defects, options }) => {
    const broken = join(dirname(SIMULATION), `judged.${process.pid}.mjs`);
    await plantDefects(broken, defects);
    const judged = await judgeSimulated(broken, join(folder, name), { options, seed: 1, runs: 2 });
    await rm(broken);
    expect(judged.map(({ verdict }) => verdict)).toContain('illegal');
  });
});
