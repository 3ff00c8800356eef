import { errorText } from '../errors/error.text.js';
import type { LockUnavailableError } from '../errors/lock.errors.js';
import type { HandshakeWarning } from '../client-port/connection.warning.js';
import type { OperatorActionEvent } from './lock.event.types.js';
import { LockEvents } from './lock.events.js';

/** An occurrence in the life of a hold. Durations in ms. */
export type HoldNotice =
  | { readonly kind: 'lost'; readonly why: string }
  | { readonly kind: 'unknown'; readonly why: string }
  | { readonly kind: 'overheld'; readonly maxHold: number }
  | { readonly kind: 'long-hold'; readonly held: number };

/** An occurrence to log. Durations in ms. */
export type Notice =
  | (HoldNotice & { readonly lock: string; readonly holder: string })
  | { readonly kind: 'long-wait'; readonly lock: string; readonly waited: number; readonly heldBy: string }
  | {
      /** A caller probably waits for a lock that it holds itself. */
      readonly kind: 'self-wait';
      readonly lock: string;
      readonly waited: number;
      readonly heldBy: string;
      /** Since when, in epoch ms. */
      readonly since: number;
      /** The call that waits, where it is known. */
      readonly where: string | undefined;
    }
  | { readonly kind: 'release-delayed'; readonly lock: string; readonly holder: string; readonly why: string }
  | { readonly kind: 'release-refused'; readonly lock: string; readonly holder: string; readonly why: string }
  | { readonly kind: 'call-delayed'; readonly lock: string; readonly what: string; readonly why: string }
  | { readonly kind: 'call-refused'; readonly lock: string; readonly what: string; readonly why: string }
  | { readonly kind: 'unpublished'; readonly lock: string; readonly channel: string }
  | { readonly kind: 'disconnected'; readonly address: string; readonly why: string }
  | { readonly kind: 'connection-refused'; readonly address: string; readonly why: string }
  | { readonly kind: 'reconnected'; readonly address: string }
  | { readonly kind: HandshakeWarning; readonly address: string; readonly why: string }
  | { readonly kind: 'client-chosen'; readonly address: string; readonly client: string }
  | { readonly kind: 'failover-undetected'; readonly address: string }
  | { readonly kind: 'unreplicated'; readonly why: string }
  | { readonly kind: 'unsafe-server'; readonly address: string; readonly why: string }
  | { readonly kind: 'clock-offset'; readonly offset: number }
  | { readonly kind: 'clock-stepped'; readonly lock: string; readonly mark: number }
  | {
      readonly kind: 'shared-job';
      readonly lock: string;
      readonly what: 'app' | 'schedule';
      readonly is: string;
      readonly was: string;
    }
  | { readonly kind: 'tick-skipped'; readonly lock: string; readonly tick: number; readonly why: string }
  | {
      readonly kind: 'tick-missed';
      readonly lock: string;
      readonly tick: number;
      /** The last instant before the gap. */
      readonly after: number | undefined;
      readonly count: number;
      readonly why: string;
    }
  | {
      readonly kind: 'tick-crashed';
      readonly lock: string;
      readonly tick: number;
      readonly attempt: number;
      /** The instance that ran it. */
      readonly instance: string;
    }
  | {
      /** As many runs of the tick have crashed as may. */
      readonly kind: 'tick-abandoned';
      readonly lock: string;
      readonly tick: number;
      /** Of the last run. */
      readonly attempt: number;
      readonly instance: string;
      readonly why: string;
    }
  | {
      readonly kind: 'tick-unclaimed';
      readonly lock: string;
      /** Undefined where the claim was for no tick of this instance, or its tick was reported before. */
      readonly tick: number | undefined;
      readonly error: LockUnavailableError;
    }
  | ({ readonly kind: 'operator-action' } & OperatorActionEvent)
  | {
      readonly kind: 'heartbeat-failed';
      readonly lock: string;
      /** Where it was sent to. The URL is a secret. */
      readonly to: string;
      readonly why: string;
    }
  | {
      /** The expression of the job has no instant. */
      readonly kind: 'never-fires';
      readonly lock: string;
      /** The expression and its zone. */
      readonly schedule: string;
    }
  | { readonly kind: 'unlisted'; readonly what: 'jobs' | 'instance'; readonly why: string }
  | { readonly kind: 'elected'; readonly lock: string; readonly token: bigint | undefined }
  | { readonly kind: 'revoked'; readonly lock: string; readonly why: string }
  | { readonly kind: 'leader-lingers'; readonly lock: string; readonly waited: number }
  | { readonly kind: 'campaign-failed'; readonly lock: string; readonly why: string }
  | {
      readonly kind: 'callback-failed';
      readonly lock: string;
      readonly callback: 'onElected' | 'onRevoked';
      readonly error: unknown;
    }
  | {
      readonly kind: 'shutdown-waits';
      /** The rest of shutdownTimeout. */
      readonly left: number;
      readonly reasons: readonly string[];
    }
  | {
      readonly kind: 'event-refused';
      readonly lock: string;
      /** The handler's class and method, where they are known. */
      readonly where: string | undefined;
      readonly holder: string | undefined;
    }
  | { readonly kind: 'unclaimed-stream'; readonly where: string }
  | { readonly kind: 'unscheduled-once'; readonly lock: string }
  | { readonly kind: 'fire-lost'; readonly lock: string; readonly where: string }
  | { readonly kind: 'fire-guessed'; readonly lock: string; readonly where: string }
  | { readonly kind: 'fire-unguarded'; readonly lock: string; readonly where: string; readonly job: string }
  | { readonly kind: 'date-refused'; readonly lock: string; readonly where: string }
  | { readonly kind: 'no-scheduler'; readonly methods: readonly string[] }
  | { readonly kind: 'listener-failed'; readonly event: string; readonly why: string };

export type NoticeListener = (notice: Notice) => void;

/**
 * Receives all occurrences: events go to the listeners of the application, and notices to the log, for people to read. Neither can ever break
 * a lock.
 */
export class NoticeBoard {
  readonly events: LockEvents;
  readonly #listeners = new Set<NoticeListener>();

  /** @param events of the board that this one reports to */
  constructor(events?: LockEvents) {
    this.events =
      events ??
      new LockEvents((event, error) => {
        this.post({ kind: 'listener-failed', event, why: errorText(error) });
      });
  }

  listen(listener: NoticeListener): void {
    this.#listeners.add(listener);
  }

  post(notice: Notice): void {
    for (const listener of this.#listeners) {
      try {
        listener(notice);
      } catch {
        // An error of the logger cannot be logged.
      }
    }
    if (this.events.hasListeners) this.#emit(notice);
  }

  /** Some notices are events as well. */
  #emit(notice: Notice): void {
    if (notice.kind === 'tick-missed') {
      const { lock: job, tick, after, count, why } = notice;
      this.events.emit('tickMissed', { job, tick, after, count, why });
    }
    if (notice.kind === 'tick-crashed') {
      const { lock: job, tick, attempt, instance } = notice;
      this.events.emit('tickCrashed', { job, tick, attempt, instance });
    }
    if (notice.kind === 'operator-action') {
      const { kind: _, ...event } = notice;
      this.events.emit('operatorAction', event);
    }
    if (notice.kind === 'tick-abandoned') {
      const { lock: job, tick, attempt, instance } = notice;
      this.events.emit('tickAbandoned', { job, tick, attempt, instance });
    }
    if (notice.kind === 'tick-unclaimed' && notice.tick !== undefined) {
      const { lock: job, tick, error } = notice;
      this.events.emit('tickUnclaimed', { job, tick, error });
    }
  }
}
