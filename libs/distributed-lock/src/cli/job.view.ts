import type { JobStatus } from '../contracts/job.contract.js';
import { isOverdue } from '../contracts/overdue.js';
import type { TickRecord } from '../contracts/tick.contract.js';
import { showTime } from '../lock-list/lock.view.js';

/** The heads of {@link runRow}. */
export const RUN_HEADS = ['TICK', 'OUTCOME', 'ATTEMPT', 'TOOK', 'APP', 'INSTANCE', 'REASON'];

/** A record of a job in a table. */
export function runRow(record: TickRecord): string[] {
  const { tick, outcome, after, count, attempt, app, instance, reason = '' } = record;
  const what = count === undefined ? outcome : `${outcome} × ${count}`;
  // As `after` says: its tick is not one of them.
  const why = after === undefined ? [reason] : [reason, `all ticks after ${showInstant(after)}`];
  // Its instance is the one that wrote the record: of a pause that which ended it.
  const place = outcome === 'paused' ? `resumed by ${instance}` : instance;
  const made = attempt > 0 ? `${attempt}` : '-';
  return [showInstant(tick), what, made, tookOf(record), app, place, why.filter(Boolean).join('; ')];
}

/** When the next tick of a job is due; `-` where that is unknown, and while the job is paused: no tick of it runs then. */
export function nextOf({ next, paused }: Pick<JobStatus, 'next' | 'paused'>): string {
  return paused === undefined ? showInstant(next) : '-';
}

/**
 * On how many instances a job is on; `-` where that is unknown, and for a job of `runOnce()`: it has no schedule, and instances do not
 * report it.
 * @param count undefined where no instance reports
 */
export function onCount({ schedule }: Pick<JobStatus, 'schedule'>, count: number | undefined): string {
  return count === undefined || schedule === undefined ? '-' : `${count}`;
}

/** How long a run took; `-` for a tick that did not run, and for a run without an end. */
export function tookOf({ attempt, start, end }: TickRecord): string {
  return end === undefined || attempt === 0 ? '-' : showTime(Math.max(0, end - start));
}

/** A value that is no instant, in a record that any client can write, is shown as it is. */
export function showInstant(at: number | undefined): string {
  if (at === undefined) return '-';
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? `${at}` : date.toISOString();
}

/**
 * What a job does now.
 * @param now the store's time, epoch ms; undefined if it is unknown
 */
export function stateOf(status: JobStatus, now: number | undefined): string {
  const { running, paused, queued, handedOver } = status;
  const states = [
    running === undefined ? undefined : `running since ${showInstant(running.start)}`,
    paused === undefined ? undefined : `paused since ${showInstant(paused)}`,
    queued === undefined ? undefined : 'queued',
    handedOver === undefined ? undefined : 'handed over',
    isOverdue(status, now) ? 'overdue' : undefined,
  ].filter((state) => state !== undefined);
  return states.length === 0 ? 'idle' : states.join(', ');
}
