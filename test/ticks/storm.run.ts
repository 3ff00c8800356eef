import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TickRecord } from '../../libs/distributed-lock/src/contracts/tick.contract.js';
import { Services } from '../support/services.js';
import { TopologyFolder, TopologyServer } from '../support/topology/topology.server.js';
import { until } from '../support/until.js';
import { readJournal, runsOfJournal, type JournalRun } from './storm.journal.js';
import { STORM_JOBS, type StormFault, type StormJob, type StormPlan } from './storm.plan.js';
import { judgeJob, type JobVerdict } from './storm.verdict.js';
import { TickFleet } from './tick.fleet.js';
import { ticksAfter } from './tick.fixtures.js';
import type { TickWorker } from './tick.worker.js';

/** The lease of a run, in ms. */
const LEASE = 2000;
/**
 * How long Redis is up again before it dies anew, in ms. An instance that starts gives up when it cannot be reached for 5 s, which two deaths
 * in a row would add up to.
 */
const REDIS_UP = 2500;
/** After a storm, in ms: every lease of a dead one is over, and each job has had ticks that nothing hits. A short storm may hit all of the others. */
const CALM = LEASE + 3000;
/** Bounds of the work of a run, in ms: now and then it lasts over the next tick. */
const WORK = [5, 1100] as const;

export interface StormReport {
  readonly plan: StormPlan;
  readonly kills: number;
  readonly killedRunners: number;
  readonly restarts: number;
  /** The last errors of instances that ended without being killed. */
  readonly ownEnds: readonly string[];
  readonly jobs: ReadonlyMap<StormJob, JobVerdict>;
}

/** An instance, its file, and when it was killed. */
interface Instance {
  readonly worker: TickWorker;
  readonly journal: string;
  killedAt: number | undefined;
}

/** A fleet and its Redis while a plan is carried out. */
export class Storm {
  readonly #instances: Instance[] = [];
  readonly #slots: Instance[] = [];
  readonly #returns: Promise<unknown>[] = [];
  #redisIsBack: Promise<unknown> = Promise.resolve();
  #redisUpSince = performance.now();
  readonly #ownEnds: string[] = [];
  readonly #rows = new Map<string, TickRecord[]>();
  #kills = 0;
  #killedRunners = 0;
  #restarts = 0;

  private constructor(
    private readonly plan: StormPlan,
    private readonly server: TopologyServer,
    private readonly fleet: TickFleet,
    private readonly folder: string,
  ) {}

  /** Carries out a plan, and judges what was seen. */
  static async run(plan: StormPlan): Promise<StormReport> {
    const servers = await TopologyFolder.make();
    const folder = await mkdtemp(join(tmpdir(), 'storm-'));
    const server = await TopologyServer.start(servers, {
      persistent: true,
      args: ['--appendfsync', 'always'],
    });
    const fleet = new TickFleet(`redis://${server.host}:${server.port}`);
    try {
      return await new Storm(plan, server, fleet, folder).#run();
    } finally {
      await fleet.end();
      await server.stop();
      await servers.remove();
      await rm(folder, { recursive: true, force: true });
    }
  }

  async #run(): Promise<StormReport> {
    await Promise.all(this.plan.shifts.map((_, slot) => this.#start(slot)));
    const watching = new AbortController();
    const watch = this.#watchRecords(watching.signal);
    const from = await this.fleet.storeNow();
    const began = performance.now();
    for (const fault of this.plan.faults) {
      await sleep(Math.max(began + fault.at - performance.now(), 0));
      await this.#inflict(fault);
    }
    await sleep(Math.max(began + this.plan.duration - performance.now(), 0));
    await Promise.all([...this.#returns, this.#redisIsBack]);
    await this.fleet.reach((await this.fleet.storeNow()) + CALM);
    const to = await this.fleet.storeNow();
    // What died last is found when its lease is over; a run that follows takes its time, and so does the next.
    await this.fleet.reach(to + LEASE + 3 * WORK[1]);
    const due = ticksAfter(from + 1000, Math.floor((to - from - 1000) / 1000));
    watching.abort();
    await watch;
    const ownEnds = [...this.#ownEnds];
    return {
      ownEnds,
      plan: this.plan,
      kills: this.#kills,
      killedRunners: this.#killedRunners,
      restarts: this.#restarts,
      jobs: new Map(
        await Promise.all(STORM_JOBS.map(async (job) => [job, await this.#judge(job, due)] as const)),
      ),
    };
  }

  async #start(slot: number): Promise<void> {
    const journal = join(this.folder, `${this.#instances.length}`);
    const [worker] = this.fleet.launch({
      jobs: STORM_JOBS,
      lockWatchdogTimeout: LEASE,
      shift: this.plan.shifts[slot] ?? 0,
      work: WORK,
      journal,
    });
    if (worker === undefined) throw new Error('unreachable');
    const instance: Instance = { worker, journal, killedAt: undefined };
    this.#instances.push(instance);
    this.#slots[slot] = instance;
    // One that is killed while it starts is never ready; one that ends by itself is not expected.
    await Promise.race([worker.ready(), worker.exited]);
    void worker.exited.then(() => {
      if (instance.killedAt === undefined) this.#ownEnds.push(worker.errors.slice(-3).join(' | '));
    });
  }

  async #inflict(fault: StormFault): Promise<void> {
    if (fault.kind === 'redis') {
      this.#restarts += 1;
      // Instances die meanwhile, too.
      this.#redisIsBack = this.#redisIsBack
        .then(() => sleep(Math.max(this.#redisUpSince + REDIS_UP - performance.now(), 0)))
        .then(() => this.server.kill())
        .then(() => sleep(fault.away))
        .then(() => this.server.restart({ keepData: true }))
        .then(() => {
          this.#redisUpSince = performance.now();
        });
      return;
    }
    const runner = fault.kind === 'kill-runner' ? await this.#runnerOf(fault.job) : undefined;
    if (runner !== undefined) this.#killedRunners += 1;
    const slot = runner ?? fault.slot;
    const victim = this.#slots[slot];
    if (victim === undefined || victim.killedAt !== undefined) return;
    this.#kills += 1;
    victim.killedAt = monotonic();
    await victim.worker.kill();
    this.#returns.push(sleep(fault.away).then(() => this.#start(slot)));
  }

  /** The slot whose instance works on that job, if one does within a period. */
  async #runnerOf(job: StormJob): Promise<number | undefined> {
    const find = () =>
      this.#slots.findIndex(
        ({ worker, killedAt }) =>
          killedAt === undefined && countOf(worker, 'started', job) > countOf(worker, 'ended', job),
      );
    await until('a run', () => find() !== -1, 1200).catch(() => undefined);
    const slot = find();
    return slot === -1 ? undefined : slot;
  }

  /** The record keeps the newest 50 rows: it is read again and again, and what was seen is kept. */
  async #watchRecords(signal: AbortSignal): Promise<void> {
    const services = new Services(this.server.admin);
    try {
      const locks = await services.open({ namePrefix: this.fleet.prefix });
      for (let last = false; !last;) {
        last = signal.aborted;
        for (const job of STORM_JOBS) {
          const rows = await locks.getRuns(job).catch(() => []);
          this.#keep(job, rows.toReversed());
        }
        if (!last) await sleep(1000, undefined, { signal }).catch(() => undefined);
      }
    } finally {
      await services.close();
    }
  }

  /** What a row said of a run under way is replaced by how it ended. */
  #keep(job: StormJob, rows: readonly TickRecord[]): void {
    const kept = new Map(this.#rows.get(job)?.map((row) => [keyOf(row), row]));
    for (const row of rows) kept.set(keyOf(row), row);
    this.#rows.set(job, [...kept.values()]);
  }

  async #judge(job: StormJob, due: readonly number[]): Promise<JobVerdict> {
    const runs = await Promise.all(
      this.#instances.map(async ({ journal, killedAt }, index): Promise<JournalRun[]> => {
        return runsOfJournal(await readJournal(journal), index, killedAt);
      }),
    );
    return judgeJob({
      policy: job === 'retried' ? 'retry' : 'skip',
      due,
      runs: runs.flat().filter((run) => run.job === job),
      rows: this.#rows.get(job) ?? [],
      tolerance: LEASE / 3,
    });
  }
}

function keyOf({ tick, attempt, token }: TickRecord): string {
  return `${tick} ${attempt} ${token ?? ''}`;
}

function countOf(worker: TickWorker, kind: 'started' | 'ended', job: StormJob): number {
  return worker.of(kind).filter((message) => message.job === job).length;
}

/** In ms, as the journals have it. */
function monotonic(): number {
  return Number(process.hrtime.bigint() / 1000n) / 1000;
}
