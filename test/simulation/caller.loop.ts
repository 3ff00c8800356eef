import { DistributedLockError } from '../../libs/distributed-lock/src/errors/lock.errors.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import type { Belief, Wish } from './belief.js';
import type { CallingInstance } from './calling.instance.js';
import type { DataLosses } from './data.losses.js';
import { SeededDice } from './seeded.dice.js';
import type { World } from './world.js';

/** The counts of a run. */
export interface CallCounts {
  calls: number;
  grants: number;
  readonly refusals: Map<string, number>;
}

/** Where callers note what they believe and wait for, on any topology. */
export interface CallerWatch {
  readonly beliefs: Set<Belief>;
  readonly wishes: Set<Wish>;
  readonly losses: Pick<DataLosses, 'begin'>;
  report(rule: string, what: string): void;
  /** A caller was granted a lock, and believes in it. */
  begin(belief: Belief): void;
  /** The caller is about to release it. */
  end(belief: Belief): void;
}

/** What callers work with. */
export interface CallerPlace<W extends CallerWatch = CallerWatch> {
  readonly world: World;
  readonly watch: W;
  readonly counts: CallCounts;
  readonly instance: CallingInstance;
  readonly service: LockService;
}

/** Why a caller aborts its wait. */
const GIVEN_UP = new Error('given up');

/** What a caller with a wait time gets at its end, and not before. */
const PATIENT: ReadonlySet<string> = new Set(['NOT_ACQUIRED', 'UNAVAILABLE', 'REJECTED_BY_REDIS']);

/** One caller of an instance: it calls something, again and again. */
export abstract class CallerLoop<W extends CallerWatch = CallerWatch> {
  protected readonly dice: SeededDice;
  #isStopped = false;

  constructor(
    protected readonly place: CallerPlace<W>,
    name: string,
  ) {
    this.dice = new SeededDice(place.world.seed, `${place.instance.name} ${name}`);
  }

  start(): void {
    void this.#loop();
  }

  stop(): void {
    this.#isStopped = true;
  }

  protected abstract call(): Promise<void>;

  /** The pause between two calls, in ms. */
  protected get rest(): number {
    return this.dice.chance(0.3) ? 0 : this.dice.between(1, 60);
  }

  protected pause(duration: number): Promise<void> {
    const { world, instance } = this.place;
    return new Promise((resolve) => void world.after(instance.process, duration, '', resolve));
  }

  /** Some callers give up before their time. */
  protected signal(): AbortSignal | undefined {
    if (!this.dice.chance(0.1)) return undefined;
    const controller = new AbortController();
    void this.pause(this.dice.between(0, 600)).then(() => controller.abort(GIVEN_UP));
    return controller.signal;
  }

  /** Only what the library documents may be thrown. */
  protected expect(error: unknown): void {
    if (error === GIVEN_UP) return;
    const { counts, watch } = this.place;
    const code = error instanceof DistributedLockError ? error.code : String(error);
    counts.refusals.set(code, (counts.refusals.get(code) ?? 0) + 1);
    if (!(error instanceof DistributedLockError)) watch.report('error', String(error));
  }

  /** A call is refused for others, or for want of a server, only at the end of its time (docs/degraded-redis.md). */
  protected expectPatience(error: unknown, { since, waitTime }: { since: number; waitTime: number }): void {
    const { world, watch, instance } = this.place;
    if (!(error instanceof DistributedLockError) || !PATIENT.has(error.code) || instance.isEnding) return;
    const waited = world.now - since;
    if (waited < waitTime - 1)
      watch.report(
        'patience',
        `${error.code} after ${Math.round(waited)} of ${waitTime} ms: ${error.message}`,
      );
  }

  async #loop(): Promise<void> {
    for (;;) {
      await this.pause(this.rest);
      if (this.#isStopped) return;
      this.place.counts.calls += 1;
      await this.call().catch((error: unknown) => this.expect(error));
    }
  }
}
