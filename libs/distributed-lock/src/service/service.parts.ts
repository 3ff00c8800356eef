import type { RedLocks } from '../groups/red.lock.js';
import type { InstanceScripts } from '../instances/instance.scripts.js';
import type { ServerSession } from '../connections/server.session.js';
import type { LockEngine } from '../locks/lock.engine.js';
import type { TickRunner } from '../ticks/tick.runner.js';

// Its members are marked as internal, so that the declarations of the package do not have the implementation.
/** The parts of a service. */
export interface ServiceParts {
  /** @internal */
  readonly engine: LockEngine;
  /** @internal */
  readonly ticks: TickRunner;
  /** @internal */
  readonly red: RedLocks | undefined;
  /** @internal */
  readonly instances: InstanceScripts;
  /** @internal Opens connections to the servers, beside those of the locks. The caller closes them. */
  readonly openSession: () => Promise<ServerSession>;
  /** @internal Closes the connections. */
  readonly disconnect: () => Promise<void>;
}
