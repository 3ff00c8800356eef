import type { DashboardRun } from '../../../distributed-lock/src/dashboard-feeds/dashboard.model.js';
import { fullText } from '../format/instant.text.js';
import { spanText } from '../format/span.text.js';
import { styleOf } from '../jobs/outcomes.js';
import { Instant } from '../parts/time.text.js';
import { tookOf } from './run.figures.js';

interface DurationChartProps {
  /** Newest first. */
  readonly runs: readonly DashboardRun[];
  /** When they were read. */
  readonly at: number;
}

const WIDTH = 1000;
const HEIGHT = 100;
/** The marks of outcomes below the bars. */
const MARKS = 22;
/** So that three runs are not three walls. */
const WIDEST = 20;

/** How long the recorded runs took, the newest one at the right, and the outcome of each below its bar. */
export function DurationChart({ runs, at }: DurationChartProps) {
  const shown = runs.toReversed();
  const times = shown.map((run) => tookOf(run, at) ?? 0);
  const longest = Math.max(...times);
  const oldest = shown[0];
  if (oldest === undefined || longest === 0) return null;
  const step = Math.min(WIDEST, WIDTH / shown.length);
  return (
    <section class="chart" aria-labelledby="chart-title">
      <h2 id="chart-title">Durations</h2>
      <div class="chart-area">
        <span class="chart-top">{spanText(longest)}</span>
        <span class="chart-middle">{spanText(longest / 2)}</span>
        <svg
          role="img"
          aria-label={labelOf(runs, at)}
          viewBox={`0 0 ${WIDTH} ${HEIGHT + MARKS}`}
          preserveAspectRatio="none"
        >
          <path class="grid" d={`M0 0.5H${WIDTH}M0 ${HEIGHT / 2}H${WIDTH}M0 ${HEIGHT}H${WIDTH}`} />
          {shown.map((run, place) => (
            <Bar
              key={`${run.tick} ${run.attempt} ${run.start}`}
              run={run}
              x={WIDTH - (shown.length - place) * step}
              width={step * 0.75}
              height={((times[place] ?? 0) / longest) * HEIGHT}
            />
          ))}
        </svg>
      </div>
      <p class="chart-ends">
        <span>
          <Instant at={oldest.tick} />
        </span>
        <span>
          <Instant at={shown.at(-1)?.tick ?? oldest.tick} />
        </span>
      </p>
    </section>
  );
}

interface BarProps {
  readonly run: DashboardRun;
  readonly x: number;
  readonly width: number;
  readonly height: number;
}

function Bar({ run, x, width, height }: BarProps) {
  const { tone, bars, label } = styleOf(run.outcome);
  const took = run.end === undefined || run.attempt === 0 ? '' : `, took ${spanText(run.end - run.start)}`;
  return (
    <g class={`fill-${tone}`}>
      <title>{`${fullText(run.tick)}: ${label}${took}`}</title>
      <rect class="hit" x={x} width={width} height={HEIGHT + MARKS} />
      {height > 0 ? (
        <rect x={x} y={HEIGHT - Math.max(1, height)} width={width} height={Math.max(1, height)} />
      ) : null}
      {bars.map(([top, tall]) => (
        <rect
          key={top}
          x={x}
          y={HEIGHT + 6 + top * (MARKS - 6)}
          width={width}
          height={Math.max(2, tall * (MARKS - 6))}
        />
      ))}
    </g>
  );
}

function labelOf(runs: readonly DashboardRun[], at: number): string {
  const times = runs.flatMap((run) => tookOf(run, at) ?? []).toSorted((a, b) => a - b);
  const [shortest = 0, middle = 0, longest = 0] = [
    times[0],
    times[Math.floor(times.length / 2)],
    times.at(-1),
  ];
  return `${times.length} runs took ${spanText(shortest)} to ${spanText(longest)}, half of them ${spanText(middle)} or less`;
}
