import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { buildJudge, judgeHistories } from '../../tools/porcupine/judge.mjs';
import { Unavailable } from '../../tools/test/unavailable.mjs';

const isAvailable = await buildJudge().then(
  () => true,
  (error: unknown) => {
    if (error instanceof Unavailable) return false;
    throw error;
  },
);

function pathOf(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

describe.skipIf(!isAvailable)('Porcupine', () => {
  test.each([
    ['two-holders', 'mutex', 'acquire by b:1'],
    ['token-not-rising', 'fenced', 'acquire by b:1 with token 999'],
    ['writer-beside-reader', 'read-write', 'acquire by c:1 (write)'],
    ['permit-too-many', 'permits', 'acquire by c:1'],
    ['release-by-a-stranger', 'mutex', 'release by b:1'],
  ])('calls %s illegal, and names the operation that fits nowhere', async (fault, kind, stuck) => {
    const judged = await judgeHistories([pathOf(`fixtures/${fault}.jsonl`)]);
    expect(judged).toMatchObject([{ verdict: 'illegal', kind, key: 'stock' }]);
    expect(judged[0]?.stuck).toMatch(`${stuck}, called at`);
  });

  test('calls a sound history of each kind ok', async () => {
    const judged = await judgeHistories([pathOf('sound')]);
    const verdicts = judged.map(({ kind, verdict }) => [kind, verdict]);
    expect(verdicts).toEqual(['mutex', 'fenced', 'read-write', 'permits'].map((kind) => [kind, 'ok']));
  });

  test('is not silent about a file that it cannot read', async () => {
    await expect(judgeHistories([pathOf('go.mod')])).rejects.toThrow(/go\.mod:1: /);
    await expect(judgeHistories([pathOf('nowhere')])).rejects.toThrow('nowhere');
  });
});
