import { isDoneWithin, LET_GO, shutDown } from '../locks/lock.shutdown.js';
import type { RedLocks } from '../groups/red.lock.js';
import { reportOf } from '../locks/shutdown.report.js';
import type { LockEngine } from '../locks/lock.engine.js';
import { now } from '../timing/monotonic.clock.js';
import type { Timer } from '../timing/timer.wheel.js';
import type { FleetReader } from './fleet.reader.js';
import type { ElectionRegistry } from '../elections/election.registry.js';

/** How long a shutdown waits before it logs what it waits for, in ms: most work that runs at its start is over by then. */
const MOMENT = 200;

/** The parts that a shutdown ends. */
export interface ShutdownParts {
  readonly engine: LockEngine;
  readonly red: RedLocks | undefined;
  readonly elections: ElectionRegistry;
  readonly fleet: FleetReader;
  readonly refuseTicks: () => void;
  /** Closes the connections; no lock is held by then. */
  readonly disconnect: () => Promise<void>;
}

/**
 * The end of a module instance. Its time begins with {@link begin}, whatever the application waits for before it calls {@link end}: once it is over,
 * the work is aborted, the locks are released and the connections are closed, also while a server still waits for its requests.
 */
export class ServiceShutdown {
  #deadline: number | undefined;
  #expiry: Timer | undefined;
  #report: Timer | undefined;
  #ended: Promise<void> | undefined;
  readonly #lasts: (() => Promise<void>)[] = [];
  readonly #endings: (() => void)[] = [];

  constructor(private readonly parts: ShutdownParts) {}

  /** The time that is given to running work begins, once: locks are granted and renewed until it is over, or until {@link end}. */
  begin(): void {
    if (this.#deadline !== undefined) return;
    const { settings, wheel, outside } = this.parts.engine.context;
    const { shutdownTimeout } = settings;
    this.#deadline = now() + shutdownTimeout;
    outside(() => {
      // The caller that closes the application gets the error by its own call of end().
      this.#expiry = wheel.after(shutdownTimeout, () => void this.end().catch(() => undefined));
      this.#report = wheel.after(Math.min(MOMENT, shutdownTimeout / 2), () => this.#warnOfWork());
    });
  }

  /**
   * Calls `end` when the last lock has ended, before the connections are closed.
   * @param last called when no work runs any more; waited for while there is time, and for a moment where work had to be aborted
   */
  onceEnded(end: () => void, last?: () => Promise<void>): void {
    this.#endings.push(end);
    if (last !== undefined) this.#lasts.push(last);
  }

  /** From now on only running work may acquire locks; it is aborted when the time is over, which begins here if it has not begun before. */
  end(): Promise<void> {
    this.begin();
    return (this.#ended ??= this.#end());
  }

  async #end(): Promise<void> {
    const { engine, red, elections, fleet, refuseTicks, disconnect } = this.parts;
    const { wheel, settings } = engine.context;
    const left = this.#left;
    refuseTicks();
    const resigned = elections.close();
    await Promise.all([shutDown(engine, left), red?.shutDown(left)]);
    const lasts = Promise.all(this.#lasts.splice(0).map((last) => last()));
    // What aborted work reports gets as much time as such work has to release its locks.
    await isDoneWithin(
      this.#left || LET_GO,
      lasts.then(() => undefined),
      wheel,
    );
    await isDoneWithin(settings.commandTimeout, fleet.end(), wheel);
    // A leader that goes on after its signal was aborted has had as much time as any other work.
    await isDoneWithin(settings.commandTimeout, resigned, wheel);
    wheel.cancel(this.#expiry);
    wheel.cancel(this.#report);
    for (const end of this.#endings.splice(0)) end();
    await disconnect();
  }

  /** The rest of its time, in ms. */
  get #left(): number {
    return Math.max(0, (this.#deadline ?? 0) - now());
  }

  #warnOfWork(): void {
    const { engine, red } = this.parts;
    const { notices } = engine.context;
    const left = Math.round(this.#left);
    const reasons = reportOf([engine, ...(red?.servers ?? []).map((server) => server.engine)]);
    if (reasons.length > 0) notices.post({ kind: 'shutdown-waits', left, reasons });
  }
}
