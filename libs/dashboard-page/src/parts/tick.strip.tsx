import { useRef } from 'preact/hooks';
import type { DashboardTick } from '../../../distributed-lock/src/dashboard-feeds/dashboard.model.js';
import { fullText } from '../format/instant.text.js';
import { spanText } from '../format/span.text.js';
import { stripLabel, styleOf, withPause } from '../jobs/outcomes.js';

const SLOTS = 50;
const STEP = 4;
const BAR = 3;
/** The strip is above the line of durations. */
const STRIP = 16;
const LINE_TOP = 20;
const LINE = 12;
const WIDTH = SLOTS * STEP;

interface TickStripProps {
  readonly strip: readonly DashboardTick[];
  /** When the job was paused, epoch ms; undefined while it is not. */
  readonly paused?: number | undefined;
}

/** The newest ticks by their outcome, the newest one at the right, and below each run how long it took. */
export function TickStrip({ strip, paused }: TickStripProps) {
  const title = useRef<HTMLTitleElement>(null);
  const shown = withPause(strip, paused).slice(-SLOTS);
  const first = SLOTS - shown.length;
  const ticks = strip.slice(-SLOTS);
  const label = paused === undefined ? labelOf(ticks) : `${labelOf(ticks)}; paused now`;
  return (
    <svg
      class="strip"
      role="img"
      aria-label={label}
      width={WIDTH}
      height={LINE_TOP + LINE}
      viewBox={`0 0 ${WIDTH} ${LINE_TOP + LINE}`}
      onPointerMove={({ currentTarget, clientX }) => {
        const { left, width } = currentTarget.getBoundingClientRect();
        const tick = shown[Math.floor(((clientX - left) / width) * SLOTS) - first];
        const isPause = paused !== undefined && tick === shown.at(-1);
        const text =
          tick === undefined ? label : isPause ? `paused since ${fullText(paused)}` : tickText(tick);
        if (title.current !== null) title.current.textContent = text;
      }}
    >
      <title ref={title} />
      {[...pathsOf(shown, first)].map(([tone, path]) => (
        <path key={tone} class={`fill-${tone}`} d={path} />
      ))}
      <path class="strip-line" d={lineOf(shown, first)} />
    </svg>
  );
}

/** One path of each colour: a table of 500 jobs has some thousand elements then, and not 25,000. */
function pathsOf(strip: readonly DashboardTick[], first: number): Map<string, string> {
  const paths = new Map<string, string>();
  for (const [place, { outcome }] of strip.entries()) {
    const { tone, bars } = styleOf(outcome);
    const x = (first + place) * STEP;
    for (const [top, height] of bars) {
      const [y, h] = [Math.round(top * STRIP), Math.max(2, Math.round(height * STRIP))];
      paths.set(tone, `${paths.get(tone) ?? ''}M${x} ${y}h${BAR}v${h}h-${BAR}z`);
    }
  }
  return paths;
}

/** Runs beside each other are joined; a tick that did not run leaves a gap. */
function lineOf(strip: readonly DashboardTick[], first: number): string {
  const longest = Math.max(1, ...strip.map(({ took = 0 }) => took));
  let path = '';
  let isJoined = false;
  for (const [place, { took }] of strip.entries()) {
    if (took !== undefined) {
      const x = (first + place) * STEP + BAR / 2;
      const y = (LINE_TOP + (LINE - 1) * (1 - Math.max(0, took) / longest) + 0.5).toFixed(1);
      // A point without neighbours is a short line.
      path += isJoined ? `L${x} ${y}` : `M${x - 1} ${y}h1`;
    }
    isJoined = took !== undefined;
  }
  return path;
}

function labelOf(strip: readonly DashboardTick[]): string {
  const times = strip.flatMap(({ took }) => (took === undefined ? [] : [took]));
  if (times.length === 0) return stripLabel(strip);
  const [shortest, longest] = [Math.min(...times), Math.max(...times)];
  return `${stripLabel(strip)}; runs took ${spanText(shortest)} to ${spanText(longest)}`;
}

function tickText({ tick, outcome, took }: DashboardTick): string {
  return `${fullText(tick)}: ${styleOf(outcome).label}${took === undefined ? '' : `, took ${spanText(took)}`}`;
}
