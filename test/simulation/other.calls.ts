import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { KINDS as LOCKS, NAMES } from './called.kinds.js';
import type { CallingInstance } from './calling.instance.js';
import { CandidateCaller } from './candidate.caller.js';
import type { CallerLoop, CallerPlace } from './caller.loop.js';
import { LatchCaller } from './latch.caller.js';
import { LatchWatch } from './latch.watch.js';
import { MultiLockCaller, type CalledLocks } from './multi.lock.caller.js';
import type { OtherPlace, OtherWatch } from './other.watch.js';
import { PermitCaller } from './permit.caller.js';
import { PermitWatch } from './permit.watch.js';
import { SeededDice } from './seeded.dice.js';
import { SemaphoreCaller } from './semaphore.caller.js';
import { SemaphoreWatch } from './semaphore.watch.js';

/** What is called besides single locks, on all instances of a run. */
interface OtherKind {
  /** Undefined: its rules are those of locks. */
  readonly watch?: OtherWatch;
  /** The callers of an instance that has started. */
  readonly callersOf: (place: CallerPlace) => CallerLoop[];
}

const KINDS = {
  'multi lock': (_place: OtherPlace, locks: CalledLocks): OtherKind => ({
    callersOf: (place) => [new MultiLockCaller(place, 'multi lock', locks)],
  }),
  election: (): OtherKind => ({ callersOf: (place) => [new CandidateCaller(place, 'candidate')] }),
  permit: (place: OtherPlace): OtherKind => {
    const watch = new PermitWatch(place);
    return { watch, callersOf: (on) => several(2, (n) => new PermitCaller(on, `permit ${n}`, watch)) };
  },
  semaphore: (place: OtherPlace): OtherKind => {
    const watch = new SemaphoreWatch(place);
    return { watch, callersOf: (on) => several(2, (n) => new SemaphoreCaller(on, `semaphore ${n}`, watch)) };
  },
  latch: (place: OtherPlace): OtherKind => {
    const watch = new LatchWatch(place);
    // One only counts down, so that the others do not all wait.
    return { watch, callersOf: (on) => several(3, (n) => new LatchCaller(on, `latch ${n}`, watch, n > 0)) };
  },
} as const;

function several(count: number, make: (n: number) => CallerLoop): CallerLoop[] {
  return Array.from({ length: count }, (_, n) => make(n));
}

export type OtherCall = keyof typeof KINDS;

/** Draws what is called in a run: some of it, so that one kind does not hide what another one shows. */
export function drawOthers(seed: number): OtherCall[] {
  return Object.keys(KINDS).filter(
    (name): name is OtherCall => isOtherCall(name) && new SeededDice(seed, `calls of ${name}`).chance(0.4),
  );
}

function isOtherCall(name: string): name is OtherCall {
  return Object.hasOwn(KINDS, name);
}

/** What a run calls besides single locks. */
export class OtherCalls {
  readonly #kinds: readonly OtherKind[];

  /** @param locks those that the callers of single locks use */
  constructor(
    private readonly place: OtherPlace,
    names: readonly OtherCall[],
    locks: CalledLocks = { kinds: LOCKS, names: NAMES },
  ) {
    this.#kinds = names.map((name) => KINDS[name](place, locks));
  }

  callersOf(place: CallerPlace): CallerLoop[] {
    return this.#kinds.flatMap((kind) => kind.callersOf(place));
  }

  check(): void {
    const { losses, watch: locks } = this.place;
    if (locks.violations.length > 0) return;
    const isLost = losses.takeLost();
    for (const { watch } of this.#kinds) {
      if (isLost !== undefined) watch?.lostData?.(isLost);
      watch?.check();
    }
  }

  shutDown(instance: CallingInstance): void {
    for (const { watch } of this.#kinds) watch?.shutDown?.(instance);
  }

  /** Ends each kind, by an instance that nothing has kept from its server for a while. */
  ends(service: LockService): Promise<void>[] {
    const failed = (error: unknown) => this.place.watch.report('end', String(error));
    return this.#kinds.map(async ({ watch }) => await watch?.finish(service).catch(failed));
  }
}
