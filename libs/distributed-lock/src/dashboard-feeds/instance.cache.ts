import type { Fleet, LockInstance } from '../contracts/fleet.contract.js';
import { now } from '../timing/monotonic.clock.js';
import { placesByJob } from '../core/job.places.js';
import { instanceOf, leadershipsOf, type KnownInstances } from './model.views.js';

/** How old a reading may be, in ms: instances report every 10 s, and at once only when they become leaders. */
const FRESH = 900;

/** The instances of the fleet, read once for all feeds. */
export class InstanceCache {
  #known: Promise<KnownInstances> | undefined;
  #readAt = -Infinity;

  constructor(private readonly fleet: Pick<Fleet, 'instances'>) {}

  /** Never rejects: jobs do not depend on instances. */
  async read(): Promise<KnownInstances> {
    if (this.#known === undefined || now() - this.#readAt > FRESH) {
      this.#readAt = now();
      this.#known = this.fleet.instances().then(arrange, () => arrange([]));
    }
    return await this.#known;
  }
}

function arrange(instances: readonly LockInstance[]): KnownInstances {
  return {
    all: instances.map(instanceOf),
    leaderships: leadershipsOf(instances),
    byJob: placesByJob(instances),
  };
}
