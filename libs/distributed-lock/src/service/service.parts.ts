import type { RedLocks } from '../groups/red.lock.js';
import type { InstanceScripts } from '../instances/instance.scripts.js';
import type { ServerSession } from '../connections/server.session.js';
import type { LockEngine } from '../locks/lock.engine.js';
import type { TickRunner } from '../ticks/tick.runner.js';

/** The parts of a service. */
export interface ServiceParts {
  readonly engine: LockEngine;
  readonly ticks: TickRunner;
  readonly red: RedLocks | undefined;
  readonly instances: InstanceScripts;
  /** Opens connections to the servers, beside those of the locks. The caller closes them. */
  readonly openSession: () => Promise<ServerSession>;
  /** Closes the connections. */
  readonly disconnect: () => Promise<void>;
}
