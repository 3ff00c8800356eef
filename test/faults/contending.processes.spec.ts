import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FaultStage } from '../support/faults/fault.stage.js';

let stage: FaultStage;
beforeEach(() => {
  stage = FaultStage.shared();
});
afterEach(() => stage.close());

/** 1 when all have the same share, 1/n when one has everything. */
function jain(shares: readonly number[]): number {
  const sum = shares.reduce((total, share) => total + share, 0);
  return sum ** 2 / (shares.length * shares.reduce((total, share) => total + share ** 2, 0));
}

describe('processes that never run out of callers for one lock', () => {
  test('exclude each other to the microsecond, and none of them starves', { timeout: 40_000 }, async () => {
    const workers = await Promise.all([1, 2, 3].map(() => stage.fork('hold.worker.js')));
    const ask = { do: 'contend', name: 'x', callers: 10, ms: 2500 } as const;
    const holds = (await Promise.all(workers.map((worker) => worker.ask(ask)))) as [number, number][][];

    const inOrder = holds.flat().toSorted(([one], [other]) => one - other);
    const overlaps = inOrder.filter(([begin], index) => begin < (inOrder[index - 1]?.[1] ?? 0));
    expect(overlaps).toEqual([]);

    // Only the time in which all of them were there counts.
    const from = Math.max(...holds.map((own) => own[0]?.[0] ?? Infinity));
    const to = Math.min(...holds.map((own) => own.at(-1)?.[1] ?? 0));
    expect(to - from).toBeGreaterThan(1_000_000);
    const shares = holds.map((own) => own.filter(([begin, end]) => begin >= from && end <= to).length);
    const gaps = holds.map((own) => longestGap(own, from, to) / 1000);
    console.log(
      `holds ${shares.join(', ')}; Jain index ${jain(shares).toFixed(3)}; longest wait ${gaps.map((gap) => gap.toFixed(0)).join(', ')} ms`,
    );
    expect(jain(shares)).toBeGreaterThan(0.8);
    await stage.expectNothingLeft();
  });
});

/** The longest time in which a process had no hold. */
function longestGap(own: readonly [number, number][], from: number, to: number): number {
  const times = [from, ...own.flat().filter((at) => at >= from && at <= to), to];
  return times.reduce((longest, at, index) => Math.max(longest, at - (times[index - 1] ?? at)), 0);
}
