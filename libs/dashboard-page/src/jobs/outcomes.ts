import type { DashboardTick } from '../../../distributed-lock/src/dashboard-feeds/dashboard.model.js';

/** The colour of a badge or a mark. */
export type Tone = 'ok' | 'bad' | 'warn' | 'info' | 'idle';

/** How an outcome is shown. All marks differ in shape, so that they can be distinguished without their colours. */
export interface OutcomeStyle {
  readonly label: string;
  readonly tone: Tone;
  /**
   * The mark within a box that is 1 high, from its top: rectangles of a height each. A bar of a run is tall where something is wrong;
   * a tick that did not run is a mark without a bar.
   */
  readonly bars: readonly (readonly [top: number, height: number])[];
}

const UNKNOWN: OutcomeStyle = { label: 'unknown', tone: 'idle', bars: [[0.4, 0.2]] };

const STYLES: Readonly<Record<string, OutcomeStyle>> = {
  completed: { label: 'completed', tone: 'ok', bars: [[0.4, 0.6]] },
  running: {
    label: 'running',
    tone: 'info',
    bars: [
      [0.4, 0.25],
      [0.75, 0.25],
    ],
  },
  failed: { label: 'failed', tone: 'bad', bars: [[0, 1]] },
  crashed: {
    label: 'crashed',
    tone: 'bad',
    bars: [
      [0, 0.4],
      [0.6, 0.4],
    ],
  },
  abandoned: {
    label: 'abandoned',
    tone: 'bad',
    bars: [
      [0, 0.25],
      [0.375, 0.25],
      [0.75, 0.25],
    ],
  },
  'handed-over': {
    label: 'handed over',
    tone: 'info',
    bars: [
      [0.2, 0.15],
      [0.45, 0.55],
    ],
  },
  overlapped: { label: 'overlapped', tone: 'warn', bars: [[0.7, 0.3]] },
  missed: {
    label: 'missed',
    tone: 'warn',
    bars: [
      [0, 0.25],
      [0.85, 0.15],
    ],
  },
  paused: { label: 'paused', tone: 'idle', bars: [[0.2, 0.45]] },
};

/** The known outcomes, in the order of a legend. */
export const OUTCOMES = Object.keys(STYLES);

/** One that a newer version of the library wrote is shown by its own name. */
export function styleOf(outcome: string): OutcomeStyle {
  return (
    (Object.hasOwn(STYLES, outcome) ? STYLES[outcome] : undefined) ?? {
      ...UNKNOWN,
      label: outcome.replaceAll('-', ' '),
    }
  );
}

/** The strip of a job that is paused ends with the pause, although no tick has been recorded for it yet. @param paused since when, epoch ms */
export function withPause(
  strip: readonly DashboardTick[],
  paused: number | undefined,
): readonly DashboardTick[] {
  return paused === undefined ? strip : [...strip, { tick: paused, outcome: 'paused' }];
}

const BAD: ReadonlySet<string> = new Set(['failed', 'crashed', 'abandoned']);

export function isFailure(outcome: string): boolean {
  return BAD.has(outcome);
}

/** How many ticks had each outcome, the most frequent one first: `last 50 ticks: 47 completed, 2 failed, 1 missed`. */
export function stripLabel(strip: readonly DashboardTick[]): string {
  if (strip.length === 0) return 'no ticks yet';
  const counts = new Map<string, number>();
  for (const { outcome } of strip) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  const parts = [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .map(([outcome, count]) => `${count} ${styleOf(outcome).label}`);
  return `last ${strip.length === 1 ? 'tick' : `${strip.length} ticks`}: ${parts.join(', ')}`;
}
