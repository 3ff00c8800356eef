import { afterAll, beforeAll, describe } from 'vitest';
import { describeExclusion } from '../locks/exclusion.suite.js';
import { describeFuzz } from '../locks/fuzz.suite.js';
import { describeHandle } from '../locks/handle.suite.js';
import { describeLease } from '../locks/lease.suite.js';
import { describeLimits } from '../locks/limits.suite.js';
import type { LockSubject } from '../locks/lock.fleet.js';
import { describeOrder } from '../locks/order.suite.js';
import { describeReentryLease } from '../locks/reentry.lease.suite.js';
import { describeReentry } from '../locks/reentry.suite.js';
import { describeScope } from '../locks/scope.suite.js';
import { describeSection } from '../locks/section.suite.js';
import { describeWait } from '../locks/wait.suite.js';
import { describeWaiters } from '../locks/waiters.suite.js';
import { QuorumStage } from './quorum.stage.js';
import { RedAsLock, RedFleet } from './red.fleet.js';

/** What every lock must do, as far as it is not about one Redis. */
describe('a red lock, as any lock', () => {
  let stage: QuorumStage;
  beforeAll(async () => {
    stage = await QuorumStage.open(3);
  });
  afterAll(() => stage.close());

  const subject: LockSubject = {
    open: (options) => RedFleet.open(stage, options),
    lock: (service, name) => new RedAsLock(service, name),
    reentrant: true,
    fifo: true,
    turns: 100,
    leases: true,
  };
  describeExclusion(subject);
  describeScope(subject);
  describeReentry(subject);
  describeHandle(subject);
  describeSection(subject);
  describeWait(subject);
  describeWaiters(subject);
  describeOrder(subject);
  describeLease(subject);
  describeReentryLease(subject);
  describeLimits(subject);
  describeFuzz(subject);
});
