import { join } from 'node:path';
import { judgeHistories, type Judged } from '../../tools/porcupine/judge.mjs';
import { Unavailable } from '../../tools/test/unavailable.mjs';
import { writeHistory } from '../histories/history.exporter.js';
import type { History } from './history.js';
import { recordsOf } from './hold.records.js';
import { isHold, type Call, type Hold } from './holds.js';
import { Disturbances } from './spans.js';

/** What Porcupine, which knows nothing of this library, says of the same holds: is there an order of them that a lock allows? */
export interface SecondOpinion {
  /** Why there is none. */
  readonly skipped?: string | undefined;
  /** How many histories there are, one for each lock, by kind. */
  readonly judged: Readonly<Record<string, number>>;
  readonly operations: number;
  readonly illegal: readonly Judged[];
  /** Not judged in time. */
  readonly unknown: readonly Judged[];
  /** In ms. */
  readonly slowest: number;
}

const NONE: SecondOpinion = { judged: {}, operations: 0, illegal: [], unknown: [], slowest: 0 };

/** Writes what was believed to a folder, and has it judged. Where the machine has no Go that is skipped. */
export async function secondOpinion(
  calls: readonly (Call | Hold)[],
  history: History,
  folder: string,
): Promise<SecondOpinion> {
  const path = join(folder, `history-${process.pid}-${Date.now().toString(36)}.jsonl`);
  await writeHistory(path, recordsOf(calls.filter(isHold), new Disturbances(history)));
  try {
    return opinionOf(await judgeHistories([path]));
  } catch (error) {
    if (error instanceof Unavailable) return { ...NONE, skipped: error.message };
    throw error;
  }
}

function opinionOf(all: readonly Judged[]): SecondOpinion {
  const judged: Record<string, number> = {};
  for (const { kind } of all) judged[kind] = (judged[kind] ?? 0) + 1;
  return {
    judged,
    operations: all.reduce((sum, { operations }) => sum + operations, 0),
    illegal: all.filter(({ verdict }) => verdict === 'illegal'),
    unknown: all.filter(({ verdict }) => verdict === 'unknown'),
    slowest: Math.max(0, ...all.map(({ ms }) => ms)),
  };
}
