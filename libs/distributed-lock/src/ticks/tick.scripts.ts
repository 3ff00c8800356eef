import type { TickPolicies } from '../contracts/tick.contract.js';
import type { StoreClock } from '../job-control/store.clock.js';
import { tickAgain, tickBegin, tickClaim, tickFinish } from '../scripts/generated/lua.scripts.js';
import type { JobKeys } from '../job-control/job.keys.js';
import { JobListScripts } from '../job-control/job.list.scripts.js';
import { JobScripts } from '../job-control/job.scripts.js';
import type { ReplyReader } from '../replies/reply.reader.js';
import type { ReleaseReply } from '../replies/lock.replies.js';
import { GRANTS } from '../script-runner/sending.js';
import type { ScriptRunner } from '../script-runner/script.runner.js';
import { TimedCaller } from '../job-control/timed.caller.js';

/** The claimant of a tick, and the conditions of the claim. */
export interface Claimant {
  readonly holder: string;
  readonly lease: number;
  readonly app: string;
  readonly instance: string;
  readonly policies: TickPolicies;
}

/** The arguments of the claim script. */
export interface ClaimArguments extends Claimant {
  readonly mode: 'cron' | 'interval' | 'instant' | 'close';
  /** Epoch ms; ignored for an interval. */
  readonly tick: number;
  /** The instant after it; for an interval the least time since the last start, in ms. */
  readonly following: number | undefined;
  readonly due: number | undefined;
  readonly gap: { readonly from: number; readonly count: number } | undefined;
  readonly previous: number | undefined;
}

/** The part of the reply to a claim beside the verdict. */
interface Noted {
  /** The store's time, epoch ms. */
  readonly at: number;
  /** The run records that this call has added, as JSON. */
  readonly rows: readonly string[];
}

/** The runs of a job that wait in Redis. */
export interface Waiting {
  /** When to claim again, in ms; 0: no reason to; -1: the lock has no end. */
  readonly wait: number;
  /** Whether a run is due as soon as the lock is free. */
  readonly listens: boolean;
  /** The newest tick that has its verdict, epoch ms; 0 when there is none. */
  readonly mark: number;
}

/** A run that was requested by hand. */
export interface RunRequest {
  readonly id: string;
  /** The instant until which the run may begin, epoch ms by the store's clock. */
  readonly until: number;
}

/** A run that was granted. */
interface GrantedClaim {
  readonly kind: 'granted';
  readonly token: bigint;
  readonly attempt: number;
  readonly tick: number;
  /** Undefined unless the run has to report that it has begun. */
  readonly request: RunRequest | undefined;
}

export type ClaimReply = Noted & (GrantedClaim | (Waiting & { readonly kind: (typeof VERDICTS)[number] }));

export interface FinishArguments {
  readonly holder: string;
  /** Undefined where the grant never arrived. */
  readonly token: bigint | undefined;
  readonly count: number;
  readonly lease: number;
  readonly channel: string;
  /** `handed-over`: stopped midway, another instance makes the next attempt. `returned`: never begun, and run by another instance. */
  readonly outcome: 'completed' | 'failed' | 'handed-over' | 'returned';
  readonly reason: string;
}

const VERDICTS = ['taken', 'overlapped', 'missed', 'early', 'stale', 'queued', 'paused'] as const;

/** The scripts of ticks, typed. Each reply carries the store's time, which updates the clock. */
export class TickScripts {
  readonly jobs: JobScripts;
  readonly list: JobListScripts;
  readonly #caller: TimedCaller;

  constructor(runner: ScriptRunner, clock: StoreClock, namePrefix: string) {
    this.#caller = new TimedCaller(runner, clock);
    this.jobs = new JobScripts(this.#caller);
    this.list = new JobListScripts(this.#caller, namePrefix);
  }

  async claim({ lock, record, runs, channel }: JobKeys, claim: ClaimArguments): Promise<ClaimReply> {
    const {
      holder,
      lease,
      mode,
      tick,
      following = '',
      previous = '',
      due,
      gap,
      app,
      instance,
      policies,
    } = claim;
    const { onCrash, overlap, grace, isAnnounced = false, attempts = '', history = '' } = policies;
    const period = due === undefined ? (policies.period ?? '') : due - tick;
    const when = [`${tick}`, `${following}`, `${previous}`];
    const jobs = isAnnounced ? channel : '';
    const counted = gap === undefined ? ['', ''] : [`${gap.from}`, `${gap.count}`];
    const others = [`${grace}`, jobs, `${period}`, `${attempts}`, ...counted, `${history}`];
    const args = [holder, `${lease}`, mode, ...when, app, instance, onCrash, overlap, ...others];
    return readClaim(await this.#caller.notify(tickClaim, [lock, record, runs], args, GRANTS));
  }

  /** Claims any run that waits, whichever tick is current. */
  async again({ lock, record, runs, channel }: JobKeys, claimant: Claimant): Promise<ClaimReply> {
    const { holder, lease, app, instance, policies } = claimant;
    const {
      gap = '',
      onCrash,
      grace,
      isAnnounced = false,
      period = '',
      attempts = '',
      history = '',
    } = policies;
    const jobs = isAnnounced ? channel : '';
    const others = [`${grace}`, jobs, `${period}`, `${attempts}`, `${history}`];
    const args = [holder, `${lease}`, `${gap}`, app, instance, onCrash, ...others];
    return readClaim(await this.#caller.notify(tickAgain, [lock, record, runs], args, GRANTS));
  }

  /** Notes that a run which was requested by hand has begun. */
  async begin({ record, channel }: JobKeys, holder: string, request: RunRequest): Promise<void> {
    await this.#caller.notifyLate(tickBegin, [record], [channel, holder, request.id]);
  }

  /** Its answer may come after the deadline: what has ended is not sent again while it may still be answered. */
  async finish(keys: JobKeys, finish: FinishArguments): Promise<ReleaseReply> {
    const { holder, token = '', count, lease, channel, outcome, reason } = finish;
    const args = [holder, `${token}`, `${count}`, `${lease}`, channel, keys.channel, outcome, reason];
    const reply = await this.#caller.notifyLate(tickFinish, [keys.lock, keys.record, keys.runs], args);
    if (reply.integer(0) === 1) return { kind: 'released', reached: reply.integer(2) };
    return { kind: reply.integer(0) === 2 ? 'kept' : 'gone' };
  }
}

function readClaim(reply: ReplyReader): ClaimReply {
  const noted = { at: reply.integer(1), rows: reply.texts(5) };
  if (reply.integer(0) === 1) {
    const [token, attempt, tick] = [BigInt(reply.text(2)), reply.integer(3), reply.integer(4)];
    const request = reply.size > 6 ? { id: reply.text(6), until: reply.integer(7) } : undefined;
    return { kind: 'granted', ...noted, token, attempt, tick, request };
  }
  const kind = VERDICTS[reply.integer(0) - 2];
  if (kind === undefined) throw reply.malformed();
  return { kind, ...noted, wait: reply.integer(2), mark: reply.integer(3), listens: reply.integer(4) === 1 };
}
