import { Logger } from '@nestjs/common';
import { printable } from '../errors/printable.text.js';
import type { Notice, NoticeListener } from '../events/notice.board.js';
import { now } from '../timing/monotonic.clock.js';

/** At most one line of a kind for each lock in this time, in ms; the next line counts the suppressed ones. */
const INTERVAL = 10_000;

/** The maximum of remembered (kind, lock) pairs. */
const REMEMBERED = 1000;

/** The remedy for a job key that is shared by mistake. */
const SHARED = {
  app: 'Give each application, and each environment of one, a namePrefix of its own.',
  schedule: 'Give each schedule a key of its own. After a change of the schedule this warning appears once.',
} as const;

/** What is not listed, and where it is missing then. */
const UNLISTED = {
  jobs: 'The jobs of this application are not listed, and jobs.list() may leave them out',
  instance: 'This instance is not listed, and fleet.instances() leaves it out',
} as const;

type Level = 'error' | 'warn' | 'log' | 'debug';

/** Logs notices with Nest's logger, rate limited, so that a lock in trouble does not fill the log. */
export function logNotices(logger = new Logger('DistributedLock')): NoticeListener {
  const logged = new Map<string, { at: number; left: number }>();
  return (notice) => {
    const id = `${notice.kind} ${subjectOf(notice)}`;
    // Every action of an operator is logged.
    const last = notice.kind === 'operator-action' ? undefined : logged.get(id);
    if (last !== undefined && now() - last.at < INTERVAL) {
      last.left += 1;
      return;
    }
    if (logged.size >= REMEMBERED) logged.clear();
    logged.set(id, { at: now(), left: 0 });
    const [level, sentence, stack] = read(notice);
    const more = last === undefined || last.left === 0 ? '' : ` (and ${last.left} more like it)`;
    // A name of a lock may come from users' input, and must not be able to forge a line of the log.
    const text = printable(sentence + more);
    if (stack === undefined) logger[level](text);
    else logger[level](text, stack);
  };
}

function subjectOf(notice: Notice): string {
  if ('lock' in notice) return notice.lock;
  if ('address' in notice) return notice.address;
  return 'where' in notice ? notice.where : '';
}

function read(notice: Notice): [level: Level, sentence: string, stack?: string | undefined] {
  switch (notice.kind) {
    case 'lost':
      return [
        'warn',
        `Lock "${notice.lock}" was lost by ${notice.holder}: ${notice.why}. Its signal is aborted.`,
      ];
    case 'unknown':
      return [
        'warn',
        `The lease of lock "${notice.lock}" could not be confirmed: ${notice.why}. The lock stays held until its deadline, and the lease is checked again.`,
      ];
    case 'overheld':
      return [
        'error',
        `Lock "${notice.lock}" was held for longer than maxHold (${notice.maxHold} ms). Its signal is aborted, and its lease is no longer renewed.`,
      ];
    case 'long-wait':
      return [
        'warn',
        `A caller has waited ${Math.round(notice.waited)} ms for lock "${notice.lock}", held by ${notice.heldBy}. If the caller's own scope acquired that lock with lock() and has not unlocked it, the caller waits for itself.`,
      ];
    case 'self-wait':
      return [
        'warn',
        `A caller${notice.where === undefined ? '' : ` at ${notice.where}`} has waited ${Math.round(notice.waited)} ms without a time limit for lock "${notice.lock}". This process acquired the lock with lock() or tryLock() at ${new Date(notice.since).toISOString()} (holder ${notice.heldBy}) and has not unlocked it, so the caller may wait for itself: a handle opens no scope. Call handle.run(…) around the inner call, or replace lock() by using(); unlock in a finally block. (warnAfter: Infinity turns this warning off.)`,
      ];
    case 'long-hold':
      return [
        'warn',
        `Lock "${notice.lock}" has been held for ${Math.round(notice.held)} ms by ${notice.holder}.`,
      ];
    case 'release-delayed':
      return [
        'warn',
        `The release of lock "${notice.lock}" is not confirmed (${bare(notice.why)}). The release is repeated in the background.`,
      ];
    case 'release-refused':
      return [
        'error',
        `Redis refused to release lock "${notice.lock}" (${notice.why}). If ${notice.holder} still holds the lock, the hold ends with its lease.`,
      ];
    case 'call-delayed':
      return [
        'warn',
        `Redis did not answer the ${notice.what} of "${notice.lock}" (${notice.why}). The call is repeated in the background.`,
      ];
    case 'call-refused':
      return ['error', `Redis refused the ${notice.what} of "${notice.lock}" (${notice.why}).`];
    case 'unpublished':
      return [
        'warn',
        `Redis refused to publish the release of lock "${notice.lock}": waiters in other processes wake only when the lease would have ended. Grant the Redis user PUBLISH on ${notice.channel}.`,
      ];
    case 'disconnected':
      return [
        'warn',
        `Redis at ${notice.address} is unavailable: ${bare(notice.why)}. No lock is granted until Redis is back; held locks stay held until their deadlines.`,
      ];
    case 'connection-refused':
      return [
        'error',
        `Redis at ${notice.address} does not match the redis options: ${bare(notice.why)}. No lock is granted until it does; held locks stay held until their deadlines.`,
      ];
    case 'reconnected':
      return ['log', `Redis at ${notice.address} is back.`];
    case 'password-unneeded':
      return [
        'warn',
        `Redis at ${notice.address} accepts clients without a password, although the redis options have one. Set a password in Redis, or remove it from the options.`,
      ];
    case 'server-unchecked':
      return [
        'log',
        `Redis at ${notice.address} refuses INFO to this user, so the role of the server is not checked when a connection is made (${bare(notice.why)}). Grant the Redis user INFO.`,
      ];
    case 'sentinel-away':
      return [
        'warn',
        `A sentinel of ${notice.address} cannot be reached (${bare(notice.why)}): it cannot notify this process of a failover.`,
      ];
    case 'resp3-refused':
      return [
        'log',
        `Redis at ${notice.address} does not support RESP3 (${bare(notice.why)}): the connections use RESP2, which makes no difference to locks.`,
      ];
    case 'failover-undetected':
      return [
        'warn',
        `After a failover the connection to ${notice.address} may write to the old master for seconds, and locks granted there are lost. Set failoverDetector: true in the redis options.`,
      ];
    case 'unreplicated':
      return [
        'warn',
        `Locks are granted without the replica acknowledgements that the option replication requires (${notice.why}). Add replicas and grant the Redis user INFO and WAIT, or remove the option.`,
      ];
    case 'unsafe-server':
      return [
        'warn',
        `Redis at ${notice.address} endangers locks: ${notice.why} (serverCheck: false turns this check off.)`,
      ];
    case 'clock-offset':
      return [
        'warn',
        `This machine's clock is ${Math.round(Math.abs(notice.offset))} ms ${notice.offset > 0 ? 'behind' : 'ahead of'} the store's. Ticks are determined by the store's clock.`,
      ];
    case 'clock-stepped':
      return [
        'warn',
        `The store's clock was set back to before the last tick of job "${notice.lock}". The job does not run until ${new Date(notice.mark).toISOString()}.`,
      ];
    case 'client-chosen':
      return [
        'debug',
        `Redis at ${notice.address} is reached with the package "${notice.client}". For a URL it is "ioredis" if that is installed, and "redis" otherwise.`,
      ];
    case 'shared-job':
      return [
        'warn',
        `Job "${notice.lock}" was registered before with ${notice.what} "${notice.was}", and now with "${notice.is}". Two different jobs must not share a key: only one of them would run. ${SHARED[notice.what]}`,
      ];
    case 'tick-skipped':
      return [
        'debug',
        `Tick ${new Date(notice.tick).toISOString()} of job "${notice.lock}" does not run on this instance: ${notice.why}.`,
      ];
    case 'tick-missed':
      return ['warn', `${missedTicks(notice)} missed: ${notice.why}.`];
    case 'tick-crashed':
      return [
        'warn',
        `The run of tick ${new Date(notice.tick).toISOString()} of job "${notice.lock}" on ${notice.instance} crashed: its lease ended before the run did (attempt ${notice.attempt}).`,
      ];
    case 'tick-abandoned':
      return [
        'error',
        `Tick ${new Date(notice.tick).toISOString()} of job "${notice.lock}" is abandoned: ${notice.why}. The last run was attempt ${notice.attempt} on ${notice.instance}. The job runs again at its next tick.`,
      ];
    case 'tick-unclaimed':
      return [
        'error',
        `A tick of job "${notice.lock}" could not be claimed: ${bare(notice.error.message)}. This instance does not run the tick.`,
      ];
    case 'operator-action':
      return [
        'log',
        `${notice.by ?? 'An unknown operator'} requested ${notice.action} of "${notice.name}" at ${new Date(notice.at).toISOString()}: ${notice.isDone ? 'done' : 'nothing was changed'}.`,
      ];
    case 'heartbeat-failed':
      return [
        'warn',
        `A heartbeat of job "${notice.lock}" did not arrive (${notice.to}): ${bare(notice.why)}. Its runs are not affected. The next failure is logged after a heartbeat has arrived.`,
      ];
    case 'never-fires':
      return [
        'warn',
        `Job "${notice.lock}" never runs by its schedule ${notice.schedule}: cron finds no date for it in the next eight years. Check its days and months. locks.jobs.runNow() still runs the job.`,
      ];
    case 'unlisted':
      return [
        'warn',
        `${UNLISTED[notice.what]}: ${bare(notice.why)}. Locks and jobs work as usual. See docs/operations.md.`,
      ];
    case 'elected':
      return ['log', `This instance leads "${notice.lock}" (token ${notice.token}).`];
    case 'revoked':
      return ['log', `This instance no longer leads "${notice.lock}": ${notice.why}.`];
    case 'leader-lingers':
      return [
        'warn',
        `The work of the leader of "${notice.lock}" still runs ${Math.round(notice.waited)} ms after its signal was aborted. Another instance may lead from now on; this candidate campaigns again when the work has ended.`,
      ];
    case 'campaign-failed':
      return [
        'warn',
        `The campaign of a candidate for "${notice.lock}" failed: ${bare(notice.why)}. The candidate campaigns again after a pause.`,
      ];
    case 'callback-failed':
      return [
        'error',
        `${notice.callback} of the leader of "${notice.lock}" failed: ${bare(String(notice.error))}.`,
        notice.error instanceof Error ? notice.error.stack : undefined,
      ];
    case 'shutdown-waits':
      return [
        'warn',
        `The shutdown waits for what still runs: ${notice.reasons.join('; ')}. In ${notice.left} ms (shutdownTimeout) the signals are aborted and the locks are released. If no work runs under a lock of this list, it was never unlocked: use using(), or call unlock() in a finally block.`,
      ];
    case 'event-refused':
      return [
        'warn',
        `${notice.where === undefined ? 'A call of a microservice failed. If it was an event, it' : `An event for ${notice.where} was refused, and`} is lost unless its transport delivers it again: lock "${notice.lock}" is held by ${notice.holder ?? 'another holder'}. Set waitTime to let the handler wait, or onBusy to put the event back into its queue.`,
      ];
    case 'unclaimed-stream':
      return [
        'warn',
        `${notice.where} returned an Observable, and its caller did not subscribe at once: the lock was released, and a later subscription acquires it again. Declare Observable as the return type of the method, so that the lock is acquired on subscription.`,
      ];
    case 'unscheduled-once':
      return [
        'warn',
        `@Timeout of job "${notice.lock}" runs on every instance, one after the other: set minInterval to run it once in the fleet.`,
      ];
    case 'fire-lost':
      return [
        'warn',
        `A scheduled call of ${notice.where} (job "${notice.lock}") did not reach @DistributedLock: this instance did not run the tick. Put @DistributedLock above every decorator that delays or skips calls. If a decorator skips calls on purpose, make your own calls of the method inside directCall(() => …).`,
      ];
    case 'fire-guessed':
      return [
        'warn',
        `A decorator above @DistributedLock on ${notice.where} (job "${notice.lock}") loses the async context of the scheduler's calls. A call was treated as the tick because the schedule had fired. Put @DistributedLock above that decorator, or make your own calls inside directCall(() => …).`,
      ];
    case 'fire-unguarded':
      return [
        'warn',
        `The job "${notice.job}" of the SchedulerRegistry calls ${notice.where}, which has no schedule of its own: the call acquires lock "${notice.lock}", but each instance of the fleet may run it. Use locks.runOnce(job, instant, work) to run it once in the fleet, or directCall(() => …) if the lock alone is intended.`,
      ];
    case 'date-refused':
      return [
        'error',
        `The job "${notice.lock}" was set to a Date, which each instance computes for itself, so ${notice.where} does not run. Add minInterval to its @DistributedLock to run it at most once in the fleet within that time.`,
      ];
    case 'no-scheduler':
      return [
        'warn',
        `This application has no ScheduleModule, so no tick of ${notice.methods.join(', ')} runs here. Import ScheduleModule.forRoot(), unless other instances of the fleet run these ticks.`,
      ];
    case 'listener-failed':
      return ['error', `A listener of "${notice.event}" events failed: ${bare(notice.why)}.`];
  }
}

function missedTicks({ tick, lock, count }: Extract<Notice, { kind: 'tick-missed' }>): string {
  const at = new Date(tick).toISOString();
  return count > 1
    ? `${count} ticks of job "${lock}", the last one ${at}, were`
    : `Tick ${at} of job "${lock}" was`;
}

/** Removes a full stop at the end. */
function bare(why: string): string {
  return why.replace(/\.$/, '');
}
