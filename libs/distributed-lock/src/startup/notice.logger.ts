import { Logger } from '@nestjs/common';
import { printable } from '../errors/printable.text.js';
import type { Notice, NoticeListener } from '../events/notice.board.js';
import { now } from '../timing/monotonic.clock.js';

/** At most one line of a kind for a lock in this time, in ms; the next one says how many were left out. */
const INTERVAL = 10_000;

/** The most (kind, lock) pairs that are remembered. */
const REMEMBERED = 1000;

/** What to do when a job is shared that must not be. */
const SHARED = {
  app: 'Give each application, and each environment of one, a namePrefix of its own.',
  schedule: 'Give each schedule a key of its own; after a change of the schedule this is said once.',
} as const;

type Level = 'error' | 'warn' | 'log' | 'debug';

/** Tells notices to Nest's logger, rate limited, so that a lock in trouble does not fill the log. */
export function logNotices(logger = new Logger('DistributedLock')): NoticeListener {
  const told = new Map<string, { at: number; left: number }>();
  return (notice) => {
    const id = `${notice.kind} ${subjectOf(notice)}`;
    const last = told.get(id);
    if (last !== undefined && now() - last.at < INTERVAL) {
      last.left += 1;
      return;
    }
    if (told.size >= REMEMBERED) told.clear();
    told.set(id, { at: now(), left: 0 });
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
        `The lease of lock "${notice.lock}" could not be confirmed: ${notice.why}. It is kept until its deadline, and asked for again.`,
      ];
    case 'overheld':
      return [
        'error',
        `Lock "${notice.lock}" was held for longer than maxHold (${notice.maxHold} ms). Its signal is aborted and it is not renewed any more.`,
      ];
    case 'long-wait':
      return [
        'warn',
        `A caller has waited ${Math.round(notice.waited)} ms for lock "${notice.lock}", held by ${notice.heldBy}. If its own scope took that lock with lock() and has not unlocked it, it waits for itself.`,
      ];
    case 'self-wait':
      return [
        'warn',
        `A caller${notice.where === undefined ? '' : ` at ${notice.where}`} has waited ${Math.round(notice.waited)} ms without a bound for lock "${notice.lock}", which this process itself took with lock() or tryLock() at ${new Date(notice.since).toISOString()} (holder ${notice.heldBy}) and has not unlocked. A handle opens no scope: code that waits for the lock that it has waits for ever. Call handle.run(…) around the inner call or replace lock() by using(); and unlock in a finally block. (warnAfter: Infinity turns this warning off.)`,
      ];
    case 'long-hold':
      return [
        'warn',
        `Lock "${notice.lock}" has been held for ${Math.round(notice.held)} ms by ${notice.holder}.`,
      ];
    case 'release-delayed':
      return [
        'warn',
        `The release of lock "${notice.lock}" is not confirmed (${bare(notice.why)}). It goes on in the background until the lease is over.`,
      ];
    case 'release-refused':
      return [
        'error',
        `Redis refused to release lock "${notice.lock}" (${notice.why}). If it is still held by ${notice.holder}, it ends with its lease.`,
      ];
    case 'call-delayed':
      return [
        'warn',
        `The ${notice.what} of "${notice.lock}" got no answer (${notice.why}). It goes on in the background.`,
      ];
    case 'call-refused':
      return ['error', `Redis refused the ${notice.what} of "${notice.lock}" (${notice.why}).`];
    case 'unpublished':
      return [
        'warn',
        `Redis refused to publish the release of lock "${notice.lock}": waiters of other processes wake only when the lease would have ended. Allow the user PUBLISH on ${notice.channel}.`,
      ];
    case 'disconnected':
      return [
        'warn',
        `Redis at ${notice.address} is away: ${bare(notice.why)}. No lock is granted until it is back; what is held is kept until its deadline.`,
      ];
    case 'connection-refused':
      return [
        'error',
        `Redis at ${notice.address} is not what the redis options ask for: ${bare(notice.why)}. No lock is granted until it is; what is held is kept until its deadline.`,
      ];
    case 'reconnected':
      return ['log', `Redis at ${notice.address} is back.`];
    case 'password-unneeded':
      return [
        'warn',
        `Redis at ${notice.address} needs no password, and the redis options give one: everybody who reaches it is its default user (${bare(notice.why)}).`,
      ];
    case 'server-unchecked':
      return [
        'log',
        `Redis at ${notice.address} refuses INFO to this user, so that its role is not checked when a connection is made (${bare(notice.why)}). Allow the user INFO.`,
      ];
    case 'sentinel-away':
      return [
        'warn',
        `A sentinel of ${notice.address} cannot be reached (${bare(notice.why)}): it cannot notify this process of a failover.`,
      ];
    case 'resp3-refused':
      return [
        'log',
        `Redis at ${notice.address} has no RESP3 (${bare(notice.why)}): the connections use RESP2, which makes no difference to locks.`,
      ];
    case 'failover-undetected':
      return [
        'warn',
        `The connection to ${notice.address} may go on writing for seconds to a master that was replaced, and locks that it grants are lost. Set failoverDetector: true in the redis options.`,
      ];
    case 'unreplicated':
      return [
        'warn',
        `Locks are granted without the acknowledgement of replicas that the option replication asks for (${notice.why}). Give Redis replicas, and its user INFO and WAIT, or leave the option out.`,
      ];
    case 'unsafe-server':
      return [
        'warn',
        `Redis at ${notice.address} endangers locks: ${notice.why} (serverCheck: false turns this check off.)`,
      ];
    case 'clock-offset':
      return [
        'warn',
        `This machine's clock is ${Math.round(Math.abs(notice.offset))} ms ${notice.offset > 0 ? 'behind' : 'ahead of'} the store's. Ticks go by the store's clock.`,
      ];
    case 'clock-stepped':
      return [
        'warn',
        `The store's clock is behind the last tick of job "${notice.lock}": it stepped back. The job rests until ${new Date(notice.mark).toISOString()}.`,
      ];
    case 'shared-job':
      return [
        'warn',
        `Job "${notice.lock}" was registered before with ${notice.what} "${notice.was}", and now with "${notice.is}". Two different jobs must not share a key: only one of them would run. ${SHARED[notice.what]}`,
      ];
    case 'tick-skipped':
      return [
        'debug',
        `Tick ${new Date(notice.tick).toISOString()} of job "${notice.lock}" is not run here: ${notice.why}.`,
      ];
    case 'tick-missed':
      return [
        'warn',
        `Tick ${new Date(notice.tick).toISOString()} of job "${notice.lock}" is missed: ${notice.why}.`,
      ];
    case 'tick-crashed':
      return [
        'warn',
        `The run of tick ${new Date(notice.tick).toISOString()} of job "${notice.lock}" on ${notice.instance} died: its lease ended before it did (attempt ${notice.attempt}).`,
      ];
    case 'tick-unclaimed':
      return [
        'error',
        `A tick of job "${notice.lock}" could not be claimed: ${bare(notice.why)}. This instance does not run it.`,
      ];
    case 'elected':
      return ['log', `This instance leads "${notice.lock}" (token ${notice.token}).`];
    case 'revoked':
      return ['log', `This instance does not lead "${notice.lock}" any more: ${notice.why}.`];
    case 'leader-lingers':
      return [
        'warn',
        `What led "${notice.lock}" goes on ${Math.round(notice.waited)} ms after its signal was aborted. Others may lead from now on; this candidate stands again when it has ended.`,
      ];
    case 'campaign-failed':
      return [
        'warn',
        `A candidate for "${notice.lock}" was refused: ${bare(notice.why)}. It stands again after a pause.`,
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
        `The shutdown waits for ${notice.reasons.join('; ')}. In ${notice.left} ms (shutdownTimeout) signals are aborted and the locks released. A lock that no work needs was not unlocked: use using(), or unlock() in a finally block.`,
      ];
    case 'event-refused':
      return [
        'warn',
        `An event for ${notice.where ?? 'a handler of a microservice'} was refused, and is lost unless its transport delivers it again: lock "${notice.lock}" is held by ${notice.holder ?? 'another holder'}. Set waitTime, so that the handler waits, or onBusy, to put the event back into its queue.`,
      ];
    case 'unclaimed-stream':
      return [
        'warn',
        `${notice.where} gave an Observable, and its caller did not subscribe at once: the lock was released, and a later subscription takes it again. Declare that the method returns an Observable, so that it takes the lock when it is subscribed to.`,
      ];
    case 'unscheduled-once':
      return [
        'warn',
        `@Timeout of job "${notice.lock}" runs on every instance, one after the other: set minInterval to run it once in the fleet.`,
      ];
    case 'fire-lost':
      return [
        'warn',
        `A fire of the schedule of ${notice.where} (job "${notice.lock}") did not reach its guard: this instance did not run the tick. Put @DistributedLock above every decorator that delays or skips calls. If one skips them on purpose, call the method yourself only inside directCall(() => …).`,
      ];
    case 'fire-guessed':
      return [
        'warn',
        `A decorator above @DistributedLock on ${notice.where} (job "${notice.lock}") loses the async context of the scheduler's calls. A call was taken for the tick, since the schedule had fired. Put @DistributedLock above that decorator, or make calls of your own inside directCall(() => …).`,
      ];
    case 'fire-unguarded':
      return [
        'warn',
        `The job "${notice.job}" of the SchedulerRegistry calls ${notice.where}, which has no schedule of its own: the call takes lock "${notice.lock}", and each instance of the fleet may run it. Use locks.runOnce(job, instant, work) to run it once in the fleet, or directCall(() => …) where the lock alone is meant.`,
      ];
    case 'date-refused':
      return [
        'error',
        `The job "${notice.lock}" was set to a Date, which each instance computes for itself: ${notice.where} is not run. Add minInterval to its @DistributedLock to run it at most once in the fleet within that time.`,
      ];
    case 'no-scheduler':
      return [
        'warn',
        `This application has no ScheduleModule, so it runs no tick of ${notice.methods.join(', ')}. Import ScheduleModule.forRoot(), unless other instances of the fleet run them.`,
      ];
    case 'listener-failed':
      return ['error', `A listener of "${notice.event}" events failed: ${bare(notice.why)}.`];
  }
}

/** Without the full stop of whoever said it. */
function bare(why: string): string {
  return why.replace(/\.$/, '');
}
