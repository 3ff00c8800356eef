import { describe, expect, test } from 'vitest';
import { leaseFacts } from '../workers/chaos/lease.facts.js';
import { fleetOf, type LockSubject } from './lock.fleet.js';

/** What the fault tests read of a handle, where no compiler sees it: a member that got another name is found here, and at once. */
export function describeFacts(subject: LockSubject): void {
  describe('a handle', () => {
    const fleet = fleetOf(subject);

    test('has the lease that the fault tests read', async () => {
      const before = performance.now();
      await using renewed = await subject.lock(fleet().one, 'renewed').lock();
      const { deadline, ttl } = leaseFacts(renewed);
      expect(deadline).toBeGreaterThan(before);
      expect(deadline - before).toBeLessThan(ttl + 10_000);
      await using fixed = await subject.lock(fleet().one, 'fixed').lock({ leaseTime: 5000 });
      expect(leaseFacts(fixed).deadline - performance.now()).toBeLessThan(5000);
    });
  });
}
