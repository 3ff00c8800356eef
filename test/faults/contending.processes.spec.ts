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
  test('exclude each other to the microsecond, and take turns', { timeout: 40_000 }, async () => {
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
    const turns = turnsOf(holds, from, to);
    const gaps = holds.map((own) => longestGap(own, from, to) / 1000);
    console.log(
      `turns ${turns.join(', ')}; Jain index ${jain(turns).toFixed(3)}; longest wait ${gaps.map((gap) => gap.toFixed(0)).join(', ')} ms`,
    );
    await stage.expectNothingLeft();
    expect(jain(turns)).toBeGreaterThan(0.95);
  });
});

/**
 * How often each process got the lock from another one. A turn is a time, so how many holds fit in it is the scheduler's affair: on a machine that
 * is busy with other work, one of the processes may do several times the work of the others in as many turns.
 */
function turnsOf(holds: readonly (readonly [number, number][])[], from: number, to: number): number[] {
  const inOrder = holds
    .flatMap((own, process) => own.map(([begin, end]) => ({ begin, end, process })))
    .filter(({ begin, end }) => begin >= from && end <= to)
    .toSorted((one, other) => one.begin - other.begin);
  const turns = inOrder.filter(({ process }, index) => process !== inOrder[index - 1]?.process);
  return holds.map((_, process) => turns.filter((turn) => turn.process === process).length);
}

/** The longest time in which a process had no hold. */
function longestGap(own: readonly [number, number][], from: number, to: number): number {
  const times = [from, ...own.flat().filter((at) => at >= from && at <= to), to];
  return times.reduce((longest, at, index) => Math.max(longest, at - (times[index - 1] ?? at)), 0);
}
