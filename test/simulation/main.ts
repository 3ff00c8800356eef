import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeHistory } from '../histories/history.exporter.js';
import { HoldHistory } from './hold.history.js';
import { ReplayGuard } from './replay.guard.js';
import { isLayer, type LayerName, type RunResult } from './simulated.run.js';
import { topologyNamed } from './topologies.js';
import type { TraceLine } from './world.js';

/** The command line of `npm run simulate`: see tools/simulation/simulate.mjs. */
const { values } = parseArgs({
  options: {
    topology: { type: 'string', default: 'one' },
    seed: { type: 'string', default: '1' },
    runs: { type: 'string' },
    minutes: { type: 'string' },
    seconds: { type: 'string', default: '20' },
    layer: { type: 'string', default: 'port' },
    trace: { type: 'string' },
    histories: { type: 'string' },
    twice: { type: 'boolean', default: false },
    shrink: { type: 'boolean', default: false },
    hash: { type: 'boolean', default: false },
    'until-violation': { type: 'boolean', default: false },
  },
});

// Errors are a part of each run, and their stacks cost a twentieth of its time.
if (values.trace === undefined) Error.stackTraceLimit = 0;

const topology = topologyNamed(values.topology, layerOf(values.layer));
const first = Number(values.seed);
const duration = Number(values.seconds) * 1000;
const sums = { runs: 0, calls: 0, grants: 0, tickCalls: 0, ticks: 0, tickRuns: 0, events: 0, violations: 0 };
const faults = new Map<string, number>();
const start = process.cpuUsage();

for (let seed = first; isWanted(seed); seed += 1) {
  const history = values.histories === undefined ? undefined : new HoldHistory();
  const guard = values.twice ? new ReplayGuard() : undefined;
  const trace = guard?.trace ?? tracer(values.trace);
  const result = await topology.run(seed, duration, { trace, history }).catch((error: unknown) => {
    throw new Error(`seed ${seed}: the simulation itself failed`, { cause: error });
  });
  add(result);
  if (history !== undefined) await writeHistory(pathOf(seed), history.records);
  if (values.hash) console.log(`${seed} ${result.hash}`);
  for (const { rule, at, event, what } of result.violations)
    console.log(`seed ${seed}: ${rule} at ${at.toFixed(3)} ms, event ${event}: ${what}`);
  const difference = await guard?.compare((again) => topology.run(seed, duration, { trace: again }));
  if (difference !== undefined) {
    sums.violations += 1;
    console.log(`seed ${seed}: replay differs: ${difference}`);
  }
  const [violation] = result.violations;
  if (violation !== undefined && values.shrink)
    for (const line of await topology.smallest(seed, duration, violation.rule)) console.log(line);
}
report();
process.exit(sums.violations > 0 ? 1 : 0);

function layerOf(name: string): LayerName {
  if (isLayer(name)) return name;
  throw new RangeError(`there is no layer "${name}"`);
}

/** One file for each run. */
function pathOf(seed: number): string {
  return join(values.histories ?? '', `${values.topology}-${values.layer}-${seed}.jsonl`);
}

function isWanted(seed: number): boolean {
  if (values['until-violation'] && sums.violations > 0) return false;
  if (values.minutes !== undefined) return cpuSeconds() < Number(values.minutes) * 60;
  return seed < first + Number(values.runs ?? 1);
}

function tracer(range: string | undefined): ((line: TraceLine) => void) | undefined {
  if (range === undefined) return undefined;
  const [from = 0, to = Infinity] = range.split('..').map(Number);
  return ({ event, at, owner, text }) => {
    if (event >= from && event <= to) console.log(`${event} ${at.toFixed(3)} ${owner} ${text}`);
  };
}

function add({ calls, grants, ticks, events, violations, faults: seen }: RunResult): void {
  sums.runs += 1;
  sums.calls += calls;
  sums.grants += grants;
  sums.tickCalls += ticks?.calls ?? 0;
  sums.ticks += ticks?.ticks ?? 0;
  sums.tickRuns += ticks?.runs ?? 0;
  sums.events += events;
  sums.violations += violations.length;
  for (const [kind, count] of [...seen, ...(ticks?.acts ?? [])])
    faults.set(kind, (faults.get(kind) ?? 0) + count);
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1e6;
}

function report(): void {
  const seconds = cpuSeconds();
  console.log(
    `${sums.runs} runs of ${values.seconds} s: ${sums.calls} calls of locks, ${sums.grants} grants, ${sums.tickCalls} calls of jobs, ${sums.ticks} ticks in ${sums.tickRuns} runs, ${sums.events} events, ${sums.violations} violations`,
  );
  console.log(`faults: ${[...faults].map(([kind, count]) => `${kind} ${count}`).join(', ') || 'none'}`);
  console.log(
    `${seconds.toFixed(1)} CPU s: ${Math.round(((sums.calls + sums.tickCalls) / seconds) * 60)} calls a CPU minute, ${Math.round(sums.events / seconds)} events a CPU second`,
  );
}
