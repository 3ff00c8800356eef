import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { startRedis } from '../../tools/redis/redis.runner.mjs';
import { STORE_CLOCK } from './check.tokens.js';
import { ChaosCrew } from './chaos.crew.js';
import type { ChaosGround, ChaosPlan, Fault } from './chaos.types.js';
import { check } from './checker.js';
import { HistoryWriter, machineTime, type RunnerEvent, type Stamped } from './history.js';
import { lookForLeftovers } from './last.look.js';
import { MasterWatch } from './master.watch.js';
import { OutsideRegister } from './outside.register.js';
import { countUpdates } from './register.counts.js';
import { summarize, wrongIn, type ChaosReport } from './report.js';
import { secondOpinion } from './second.opinion.js';
import { SeededDice } from './seeded.dice.js';
import { StoreObserver } from './store.observer.js';

/** How far faults step clocks, in ms. */
const CLOCK_STEP = 60_000;

/** So long does nothing else go wrong after a worker was killed, a third of it before, and now and then; in ms. */
const CALM = 4000;

/** Runs workers under faults, one at a time, and judges what they have seen. A seed draws the same faults, and the same calls. */
export async function runChaos<G extends ChaosGround>(plan: ChaosPlan<G>): Promise<ChaosReport> {
  const folder = await mkdtemp(join(tmpdir(), 'chaos-'));
  const registers = await startRedis();
  const outside = new OutsideRegister(join(folder, 'outside.jsonl'));
  const runner = new HistoryWriter<RunnerEvent>(join(folder, 'runner.jsonl'));
  const watched: Stamped<RunnerEvent>[] = [];
  const write = (event: RunnerEvent, at = machineTime()) => {
    runner.write(event, at);
    watched.push({ ...event, at });
  };
  const crew = new ChaosCrew({ plan, folder, registers: registers.url, outside, write });
  const observer = observe(plan, crew);
  const masters = new MasterWatch(plan.ground, write);
  try {
    await crew.start();
    observer?.start();
    masters.start();
    await breakThings(plan, crew, masters, write);
    await plan.ground.mend();
    await crew.finish();
    await observer?.stop();
    await masters.stop();
    const stepped = watched.some((event) => event.kind === 'fault' && event.fault === STORE_CLOCK);
    try {
      for (const name of await crew.probe(stepped ? CLOCK_STEP : 0))
        write({ kind: 'left', what: 'key', name: `${name} (not granted)` });
    } catch (error) {
      // One that cannot come to an end is a finding, and must not cost the others.
      write({ kind: 'left', what: 'process', name: String(error) });
    }
    const left = await lookForLeftovers(await plan.ground.masters(), crew.prefix, 5000);
    for (const name of left.keys) write({ kind: 'left', what: 'key', name });
    for (const name of left.channels) write({ kind: 'left', what: 'channel', name });
    for (const name of await crew.leave()) write({ kind: 'left', what: 'process', name });
    const told = await crew.histories();
    // Whatever is not there cannot be violated.
    const ends = told.filter(({ kind }) => kind === 'idle').length;
    if (ends < crew.workers.length)
      throw new Error(`${folder}: of ${crew.workers.length} workers ${ends} have told their end`);
    const history = { told, watched: [...watched, ...(observer?.seen ?? [])] };
    const redis = new Redis(registers.url);
    const updates = await countUpdates(redis, outside).finally(() => redis.disconnect());
    const { mode, seed, seconds, ground } = plan;
    const verdict = check(history, mode);
    const summary = summarize(verdict, history);
    const porcupine = await secondOpinion(
      verdict.calls,
      history,
      plan.histories ?? join(folder, 'histories'),
    );
    const report = { topology: ground.topology, mode, seed, seconds, updates, porcupine, ...summary };
    const isClean = wrongIn(report).length === 0;
    if (isClean) await rm(folder, { recursive: true });
    return { ...report, folder: isClean ? undefined : folder };
  } finally {
    await crew.end();
    await observer?.stop();
    await masters.stop();
    outside.close();
    runner.close();
    await registers.stop();
  }
}

/** With replicas, who is asked may not be the master any more: there only holders' own words count. */
function observe<G extends ChaosGround>(plan: ChaosPlan<G>, crew: ChaosCrew<G>): StoreObserver | undefined {
  const { direct } = plan.ground;
  return direct.kind === 'standalone' ? new StoreObserver(direct.url, crew.prefix, crew.locks) : undefined;
}

async function breakThings<G extends ChaosGround>(
  plan: ChaosPlan<G>,
  crew: ChaosCrew<G>,
  masters: MasterWatch,
  write: (event: RunnerEvent, at?: number) => void,
): Promise<void> {
  const { ground, faults, mode, seed, seconds, pause = 1500, progress } = plan;
  const fitting = faults.filter(
    ({ lossy, topologies }) =>
      (mode === 'lossy' || !lossy) && (topologies === undefined || topologies.includes(ground.topology)),
  );
  const stage = {
    ground,
    workers: crew.workers,
    prefix: crew.prefix,
    note: (text: string) => write({ kind: 'note', text }),
  };
  const begin = performance.now();
  const end = begin + seconds * 1000;
  const dice = SeededDice.of(seed, 1000);
  let deck: Fault<G>[] = [];
  let calm = 0;
  let told = begin;
  for (let number = 0; ; number += 1) {
    const rest = Math.max(0, end - performance.now());
    await sleep(Math.min(rest, fitting.length === 0 ? 1000 : 100 + dice.below(pause) + calm));
    if (performance.now() >= end) return;
    if (performance.now() - told > 30_000) {
      told = performance.now();
      const grants = (await crew.histories()).filter(({ kind }) => kind === 'granted').length;
      progress?.(`${((told - begin) / 1000).toFixed(0)} s: ${number} faults, ${grants} grants`);
    }
    if (fitting.length === 0) continue;
    // Each once, before any comes twice.
    if (deck.length === 0) deck = [...fitting];
    const [fault] = deck.splice(dice.below(deck.length), 1);
    if (fault === undefined) continue;
    // What becomes of a dead holder's lock, and of queues, can only be judged where nothing else is wrong.
    const isDeath = fault.name === 'worker killed';
    if (isDeath) await sleep(CALM / 3);
    const at = machineTime();
    const note = await masters.during(fault.name, () =>
      fault.inject(stage, SeededDice.of(seed, 1001, number)),
    );
    write({ kind: 'fault', fault: fault.name, note, to: machineTime(), lossy: fault.lossy }, at);
    calm = isDeath || number % 8 === 7 ? CALM : 0;
  }
}
