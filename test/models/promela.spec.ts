import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { MODELS } from '../../tools/models/models.mjs';
import { findSpin, type SpinTools } from '../../tools/models/spin.finder.mjs';
import { kindsOf, makeWalks, readWalks } from '../../tools/models/walks.mjs';
import { Unavailable } from '../../tools/test/unavailable.mjs';
import { ProtocolStage } from '../protocol/protocol.stage.js';
import { HoldPlayer } from './hold.player.js';
import { TickPlayer } from './tick.player.js';
import { readTransition } from './walk.reader.js';

const WALKS = 10;
const SEED = Number(process.env['MODEL_SEED'] ?? Math.floor(Math.random() * 1_000_000));

const explorations = MODELS.flatMap((model) =>
  model.explorations.flatMap((variant) =>
    variant.walks === undefined ? [] : [{ model, variant, file: variant.walks }],
  ),
);

/** Undefined where the machine has none. */
const spin = await findSpin().catch((error: unknown): SpinTools | undefined => {
  if (error instanceof Unavailable) return undefined;
  throw error;
});

/** What the recorded walks of a model have at least. */
const CLAIMS = [
  'claim granted',
  'claim taken',
  'claim early',
  'claim stale',
  'claim overlapped',
  'again granted',
  'again taken',
];
const ENDS = [
  'finish completed released',
  'finish returned released',
  'finish returned refused',
  'release released',
];
const KINDS: Readonly<Record<string, readonly string[]>> = {
  'hold.walks.txt': [
    ...['acquire granted', 'acquire busy', 'renew alive', 'renew gone'],
    ...['release released', 'release gone', 'force-release released'],
  ],
  'tick.skip.walks.txt': [...CLAIMS, ...ENDS, 'finish completed refused'],
  'tick.retry.walks.txt': [...CLAIMS, ...ENDS, 'finish handed released'],
};

let stage: ProtocolStage;
beforeAll(() => {
  stage = ProtocolStage.open(inject('redisUrl'));
});
afterAll(() => stage.close());

async function expectScriptsToAgree(file: string, walk: readonly string[]): Promise<void> {
  const names = stage.names();
  const player = file.startsWith('hold')
    ? new HoldPlayer(stage, names)
    : await TickPlayer.open(stage, names, file.includes('retry') ? 'retry' : 'skip');
  for (const [at, line] of walk.entries()) {
    const transition = readTransition(line);
    const verdict = await player.play(transition);
    if (transition.kind === 'new') continue;
    const past = walk.slice(Math.max(0, at - 8), at + 1).join('\n');
    expect({ verdict, ...(await player.state()) }, past).toEqual({
      verdict: player.verdict(transition),
      ...player.expected(transition),
    });
  }
}

describe('the scripts do what the Promela models say, on the walks that were recorded', () => {
  test.each(explorations)('$file', async ({ file }) => {
    const walks = await readWalks(file);
    for (const walk of walks) await expectScriptsToAgree(file, walk);
    const kinds = KINDS[file] ?? ['unknown'];
    expect([...new Set(walks.flatMap(kindsOf))]).toEqual(expect.arrayContaining([...kinds]));
  });
});

describe.skipIf(spin === undefined)('the scripts do what the Promela models say, on new walks', () => {
  test.each(explorations)(`$file, from seed ${SEED}`, async ({ model, variant, file }) => {
    const seeds = Array.from({ length: WALKS }, (_, at) => SEED + at);
    const walks = spin === undefined ? [] : await makeWalks(spin, model, variant, seeds);
    for (const walk of walks) await expectScriptsToAgree(file, walk);
    expect(walks.flat().length).toBeGreaterThan(WALKS * 10);
  });
});
