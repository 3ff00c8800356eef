import {
  tickForget,
  tickInspect,
  tickPause,
  tickRegister,
  tickRequest,
  tickWithdraw,
} from '../scripts/generated/lua.scripts.js';
import type { JobKeys } from './job.keys.js';
import type { TimedCaller } from './timed.caller.js';

/** The most records of runs that Redis keeps of a job. */
export const MOST_KEPT = 10_000;

/** The fewest, and the default: the repeated end of a run finds its run among them. */
export const FEWEST_KEPT = 50;

/** The state of a job in Redis. */
export interface JobState {
  /** Whether the run that the newest record shows as running still has the lock. */
  readonly running: boolean;
  /** JSON, newest first. */
  readonly rows: readonly string[];
  /** The fields of the record. */
  readonly record: ReadonlyMap<string, string>;
}

/** The state of a request. @see JobScripts.withdraw */
export type RequestState =
  | { readonly kind: 'served' | 'gone' }
  | {
      readonly kind: 'waits';
      /** In ms. */
      readonly left: number;
      /** Whether a run was granted for it, which is not known to have begun. */
      readonly isGranted: boolean;
    };

/** The application that registers a job, and what distinguishes its schedule from another. */
export interface RegisteredAs {
  readonly app: string;
  readonly schedule: string;
  /** The schedule with which it has registered the job before, and that it has changed since. */
  readonly former?: string | undefined;
}

/** A job that was registered. Epoch ms by the store's clock. */
export interface Registered {
  readonly mark: number | undefined;
  /** Since when it has its schedule; undefined if it never had another one. */
  readonly changedAt: number | undefined;
}

/** The times with which a job is registered, in epoch ms by the store's clock. */
export interface RegistrationTimes {
  /** The mark of a job that has none; `now` for the store's now. */
  readonly mark: number | 'now';
  /** The first instant after now; undefined where none is known. */
  readonly due: number | undefined;
  /** For an interval how long after its mark the next start is due, in ms. */
  readonly period: number | undefined;
}

/** The scripts that read and control a job without running it, typed. */
export class JobScripts {
  constructor(private readonly caller: TimedCaller) {}

  /** @returns the mark (undefined: none yet), the application and schedule that the record had before, and since when it has this schedule */
  async register(
    { record }: JobKeys,
    { app, schedule, former = '' }: RegisteredAs,
    times: RegistrationTimes | 'look',
  ): Promise<{ at: number; app: string; schedule: string } & Registered> {
    const { mark: tick = '', due = '', period = '' } = times === 'look' ? {} : times;
    const args = [`${tick}`, app, schedule, `${due}`, `${period}`, former];
    const reply = await this.caller.call(tickRegister, [record], args);
    const instant = (text: string) => (text === '' ? undefined : Number(text));
    return {
      at: reply.integer(1),
      mark: instant(reply.text(2)),
      app: reply.text(3),
      schedule: reply.text(4),
      changedAt: instant(reply.text(5)),
    };
  }

  /** @param most the records of runs to read beside the current one, up to 10,000 */
  async inspect({ lock, record, runs }: JobKeys, most = 50): Promise<JobState> {
    const reply = await this.caller.call(tickInspect, [lock, record, runs], [`${most}`]);
    const fields = reply.texts(4);
    const pairs = fields.flatMap((name, index): [string, string][] =>
      index % 2 === 0 ? [[name, fields[index + 1] ?? '']] : [],
    );
    return { running: reply.integer(2) === 1, rows: reply.texts(3), record: new Map(pairs) };
  }

  /** @returns false when the job was already in that state */
  async pause(
    { lock, record, runs, channel }: JobKeys,
    verb: 'pause' | 'resume',
    app: string,
    by: string,
  ): Promise<boolean> {
    const reply = await this.caller.notify(tickPause, [lock, record, runs], [channel, verb, app, by]);
    return reply.integer(0) === 1;
  }

  /** @returns the id of the request in force: a request that already waits is joined */
  async request({ record, channel }: JobKeys, id: string, timeout: number, by: string): Promise<string> {
    const reply = await this.caller.notify(tickRequest, [record], [channel, id, `${timeout}`, by]);
    return reply.text(2);
  }

  /** Withdraws a request whose time is over; otherwise reports that it was served, or how long it still waits, in ms. */
  async withdraw({ record }: JobKeys, id: string): Promise<RequestState> {
    const reply = await this.caller.call(tickWithdraw, [record], [id]);
    if (reply.integer(0) === 2)
      return { kind: 'waits', left: reply.integer(2), isGranted: reply.integer(3) === 1 };
    return { kind: reply.integer(0) === 1 ? 'served' : 'gone' };
  }

  /** `running`: the job runs now, and was not forgotten. `unknown`: there was no record to forget. */
  async forget(
    { lock, record, runs }: JobKeys,
    force: boolean,
  ): Promise<'forgotten' | 'running' | 'unknown'> {
    const reply = await this.caller.call(tickForget, [lock, record, runs], [force ? 'force' : '']);
    if (reply.integer(0) !== 1) return 'running';
    return reply.integer(2) === 0 ? 'unknown' : 'forgotten';
  }
}
