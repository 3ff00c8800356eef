import { now } from '../timing/monotonic.clock.js';
import type { Timer, TimerWheel } from '../timing/timer.wheel.js';
import type { ClientLifecycle } from './client.lifecycle.js';
import type { ClientPort } from '../client-port/client.port.js';

/** The connection to a server whose age counts. */
export interface AgedConnection extends Pick<
  ClientLifecycle,
  'isReady' | 'lastError' | 'onReady' | 'restart'
> {
  readonly client: Pick<ClientPort, 'on' | 'info'>;
}

/** A server's answer: the id of its run, and its age in ms, never too high. */
interface Answer {
  readonly runId: string | undefined;
  readonly age: number;
}

/**
 * Whether a server has run for so long that no caller can still rely on a grant which it forgot at its start: the
 * delayed restart of the Redlock algorithm, kept by the client. A server that does not report its age counts as new.
 */
export class ServerAge {
  /** Resolves after the first request to a server, with or without an answer. */
  readonly requested: Promise<void>;
  #wasRequested: () => void = () => undefined;
  #runId: string | undefined;
  /** The monotonic instant from which that run of the server is old enough. */
  #oldFrom = Infinity;
  /** Whether the server of this connection is known to be of that run. */
  #isKnown = false;
  #connection = 0;

  constructor(
    private readonly lifecycle: AgedConnection,
    private readonly wheel: TimerWheel,
    /** How long the answer may take, in ms. */
    private readonly timeout: number,
    /** In ms; 0 for servers that forget nothing. */
    private readonly restartDelay: number,
  ) {
    this.requested = new Promise((resolve) => {
      this.#wasRequested = resolve;
    });
    lifecycle.onReady(() => void this.#readAge());
    lifecycle.client.on('close', () => {
      this.#connection += 1;
      this.#isKnown = false;
    });
  }

  /** Why no request is sent to the server, for messages; undefined when its answer counts. */
  get trouble(): string | undefined {
    if (!this.lifecycle.isReady) return `is unavailable: ${this.lifecycle.lastError}`;
    if (!this.#isKnown) return 'has not reported its uptime yet';
    const wait = this.#oldFrom - now();
    return wait > 0
      ? `has just started, and is left out of the quorum for another ${Math.ceil(wait)} ms`
      : undefined;
  }

  async #readAge(): Promise<void> {
    const connection = (this.#connection += 1);
    const sent = now();
    const answer = this.restartDelay === 0 ? { runId: undefined, age: 0 } : await this.#requestAge();
    this.#wasRequested();
    // The answer on an earlier connection may be that of an earlier server.
    if (connection !== this.#connection || !this.lifecycle.isReady) return;
    // The same run: only the connection was cut, so the server has forgotten nothing since, and its age is not reset.
    const isSame = answer.runId !== undefined && answer.runId === this.#runId;
    if (!isSame) this.#oldFrom = sent + Math.max(0, this.restartDelay - answer.age);
    this.#runId = answer.runId;
    this.#isKnown = true;
  }

  /** Both of the times that the age is computed from are cut to whole seconds. */
  async #requestAge(): Promise<Answer> {
    let timer: Timer | undefined;
    // No other command is sent to a server that does not count, so no other timeout would detect that it does not answer.
    const late = new Promise<never>((_, reject) => {
      timer = this.wheel.after(this.timeout, () => {
        reject(new Error('no answer'));
        this.lifecycle.restart();
      });
    });
    try {
      const info = String(await Promise.race([this.lifecycle.client.info('server'), late]));
      const uptime = Number(/uptime_in_seconds:(\d+)/.exec(info)?.[1] ?? 0);
      return { runId: /run_id:(\w+)/.exec(info)?.[1], age: Math.max(0, uptime - 1) * 1000 };
    } catch {
      return { runId: undefined, age: 0 };
    } finally {
      this.wheel.cancel(timer);
    }
  }
}
