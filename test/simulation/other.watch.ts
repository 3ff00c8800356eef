import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import type { BeliefWatch } from './belief.watch.js';
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
  /** An instance was shut down, and nothing kept it from releasing what it had. */
  shutDown?(instance: SimulatedInstance): void;
  /** All callers have ended: what would stay in the store has to be deleted. */
  finish(service: LockService): Promise<void>;
}
