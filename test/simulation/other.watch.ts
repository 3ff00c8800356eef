import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import type { BeliefWatch } from './belief.watch.js';
import { FREE } from './lock.caller.js';
import type { SimulatedFleet } from './simulated.fleet.js';
import type { SimulatedInstance } from './simulated.instance.js';
import type { World } from './world.js';

/** What a run is on. */
export interface OtherPlace {
  readonly world: World;
  readonly fleet: SimulatedFleet;
  readonly watch: BeliefWatch;
}

/** The rules of something that is called besides single locks. */
export interface OtherWatch {
  /** Called after each event. */
  check(): void;
  /** The store has begun anew, before the check of an event. */
  lostData?(): void;
  /** An instance was shut down, and nothing kept it from releasing what it had. */
  shutDown?(instance: SimulatedInstance): void;
  /** All callers have ended: what would stay in the store has to be deleted. */
  finish(service: LockService): Promise<void>;
}

/** A caller that waits. */
export interface OtherWish {
  readonly instance: SimulatedInstance;
  /** In ms. */
  readonly since: number;
}

/** A caller whose process is well has what it waits for soon. @param what is there for it, and since when, in ms */
export function checkWish(
  { world, watch }: OtherPlace,
  { instance, since }: OtherWish,
  what: { readonly name: string; readonly since: number },
): void {
  if (!instance.isRunning || !instance.link.isConnected) return;
  const waited = world.now - Math.max(what.since, since, instance.calmSince);
  if (waited > FREE)
    watch.report('free and wanted', `${what.name} for ${Math.round(waited)} ms while ${instance.name} waits`);
}
