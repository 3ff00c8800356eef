import { describe } from 'vitest';
import { describeExclusion } from './exclusion.suite.js';
import { describeFacts } from './facts.suite.js';
import { describeForce } from './force.suite.js';
import { describeFuzz } from './fuzz.suite.js';
import { describeHandle } from './handle.suite.js';
import { describeLease } from './lease.suite.js';
import { describeLimits } from './limits.suite.js';
import type { LockSubject } from './lock.fleet.js';
import { describeOrder } from './order.suite.js';
import { describeReentryLease } from './reentry.lease.suite.js';
import { describeReentry } from './reentry.suite.js';
import { describeScope } from './scope.suite.js';
import { describeSection } from './section.suite.js';
import { describeWait } from './wait.suite.js';
import { describeWaiters } from './waiters.suite.js';

/** What every kind of lock must do. What a kind adds or leaves out stands beside it, in a spec of its own. */
export function describeLock(kind: string, subject: LockSubject): void {
  describe(`a ${kind} lock`, () => {
    describeExclusion(subject);
    describeScope(subject);
    if (subject.reentrant) describeReentry(subject);
    describeHandle(subject);
    describeSection(subject);
    describeWait(subject);
    describeWaiters(subject);
    if (subject.fifo) describeOrder(subject);
    if (subject.leases) describeLease(subject);
    if (subject.leases && subject.reentrant) describeReentryLease(subject);
    describeForce(subject);
    if (subject.leases) describeLimits(subject);
    describeFuzz(subject);
    describeFacts(subject);
  });
}
