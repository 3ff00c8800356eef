import type { RedLocks } from '../groups/red.lock.js';
import type { InstanceScripts } from '../instances/instance.scripts.js';
import type { LockEngine } from '../locks/lock.engine.js';
import type { TickRunner } from '../ticks/tick.runner.js';

/** The parts of a service. */
export interface ServiceParts {
  readonly engine: LockEngine;
  readonly ticks: TickRunner;
  readonly red: RedLocks | undefined;
  readonly instances: InstanceScripts;
  /** Closes the connections. */
  readonly disconnect: () => Promise<void>;
}
