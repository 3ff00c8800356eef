/**
 * The soak: workers under locks, and a store, wires and processes that fail by a seed, for as long as one likes.
 * Ends with a report, and with 1 where an invariant was violated. `npm run soak -- --help` says what can be asked for.
 */
import { runChaos } from './chaos.run.js';
import { BreakableGround } from './faults/breakable.ground.js';
import { faultsOf } from './faults/fault.table.js';
import { FaultWatch } from './faults/fault.watch.js';
import { describeReport, wrongIn, type ChaosReport } from './report.js';
import { readSettings, USAGE, type SoakSettings } from './soak.settings.js';

/** The soak runs built, beside the workers. */
const BUILT = new URL('../workers/chaos/', import.meta.url);

/** No matter of the library, but to be known by whoever reads the report. */
const remarks: string[] = [];

/** One run on a ground of its own. @param only the one fault that happens; all of the profile without it */
async function soak(settings: SoakSettings, only?: string): Promise<ChaosReport> {
  const { minutes, profile, seed, topology, workers, kinds, names, histories } = settings;
  const ground = await BreakableGround.open(topology, workers);
  const watch = new FaultWatch();
  try {
    const chosen = faultsOf(ground, profile, only === undefined ? settings.faults : [only]);
    return await runChaos({
      ground,
      faults: chosen.map((fault) => watch.over(fault)),
      seconds: minutes * 60,
      seed,
      workers,
      sorts: kinds,
      names,
      mode: profile === 'strict' ? 'strict' : 'lossy',
      build: BUILT,
      histories,
      progress: (line) => console.log(line),
      ...(only === undefined ? {} : { pause: 500 }),
    });
  } finally {
    remarks.push(...watch.remarks);
    await ground.close();
  }
}

/** Each fault of the profile alone. */
async function soakEach(settings: SoakSettings): Promise<ChaosReport[]> {
  const { topology, profile, faults } = settings;
  const reports: ChaosReport[] = [];
  for (const { name } of faultsOf({ topology, withoutClocks: undefined }, profile, faults)) {
    const report = await soak(settings, name);
    reports.push(report);
    console.log(rowOf(name, report));
    if (!isClean(report)) console.log(describeReport(report));
  }
  return reports;
}

function rowOf(name: string, report: ChaosReport): string {
  const { calls, grants, longestWait, overlaps, updates, violations, troubles, porcupine } = report;
  const lost = Object.entries(updates).map(([register, { lost: count }]) => `${register} ${count}`);
  return [
    `${name.padEnd(36)} ${report.faults[name] ?? 0} times`,
    `${grants} grants of ${calls} calls`,
    `longest wait ${longestWait.toFixed(0)} ms`,
    `${overlaps.count} overlaps, longest ${overlaps.longest.toFixed(0)} ms`,
    `lost: ${lost.join(', ')}`,
    `Porcupine ${porcupine.skipped === undefined ? `illegal ${porcupine.illegal.length}` : 'SKIPPED'}`,
    `VIOLATIONS ${violations.length}${troubles.length === 0 ? '' : `, TROUBLES ${troubles.length}`}`,
  ].join(' | ');
}

function isClean(report: ChaosReport): boolean {
  return wrongIn(report).length === 0;
}

const args = process.argv.slice(2);
if (args.includes('--help')) {
  console.log(USAGE);
} else {
  const settings = readSettings(args);
  const { each, minutes, profile, seed, topology } = settings;
  const length = each ? `${(minutes * 60).toFixed(0)} s for each fault` : `${minutes} minutes`;
  console.log(`soak: ${topology}, ${profile}, seed ${seed}, ${length}`);
  const reports = each ? await soakEach(settings) : [await soak(settings)];
  if (!each) for (const report of reports) console.log(`\n${describeReport(report)}`);
  for (const remark of remarks) console.log(`remark: ${remark}`);
  if (!reports.every(isClean)) process.exitCode = 1;
}
