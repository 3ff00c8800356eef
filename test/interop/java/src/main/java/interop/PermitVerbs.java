package interop;

import java.util.Map;
import org.redisson.api.RCountDownLatch;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RSemaphore;

/** Semaphores and latches: the first two words are the client and the name. */
final class PermitVerbs {
    private final Clients clients;

    PermitVerbs(Clients clients) {
        this.clients = clients;
    }

    void register(Map<String, Verb> verbs) {
        registerSemaphore(verbs);
        registerExpirable(verbs);
        registerLatch(verbs);
    }

    private void registerSemaphore(Map<String, Verb> verbs) {
        verbs.put("sem.trySetPermits", words -> semaphore(words).trySetPermits(words.integer(2)));
        verbs.put("sem.acquire", words -> {
            semaphore(words).acquire(words.integer(2));
            return null;
        });
        // permits, wait
        verbs.put("sem.tryAcquire", words -> words.count() == 3
            ? semaphore(words).tryAcquire(words.integer(2))
            : semaphore(words).tryAcquire(words.integer(2), words.number(3), Words.MS));
        verbs.put("sem.release", words -> {
            semaphore(words).release(words.integer(2));
            return null;
        });
        verbs.put("sem.addPermits", words -> {
            semaphore(words).addPermits(words.integer(2));
            return null;
        });
        verbs.put("sem.drain", words -> semaphore(words).drainPermits());
        verbs.put("sem.available", words -> semaphore(words).availablePermits());
    }

    private void registerExpirable(Map<String, Verb> verbs) {
        verbs.put("exp.trySetPermits", words -> expirable(words).trySetPermits(words.integer(2)));
        verbs.put("exp.addPermits", words -> {
            expirable(words).addPermits(words.integer(2));
            return null;
        });
        // lease; without it the permit never expires
        verbs.put("exp.acquire", words -> words.count() == 2
            ? expirable(words).acquire()
            : expirable(words).acquire(words.number(2), Words.MS));
        // wait, lease
        verbs.put("exp.tryAcquire", words -> words.count() == 3
            ? expirable(words).tryAcquire(words.number(2), Words.MS)
            : expirable(words).tryAcquire(words.number(2), words.number(3), Words.MS));
        verbs.put("exp.release", words -> {
            expirable(words).release(words.text(2));
            return null;
        });
        verbs.put("exp.tryRelease", words -> expirable(words).tryRelease(words.text(2)));
        verbs.put("exp.available", words -> expirable(words).availablePermits());
        verbs.put("exp.acquired", words -> expirable(words).acquiredPermits());
        verbs.put("exp.updateLease",
            words -> expirable(words).updateLeaseTime(words.text(2), words.number(3), Words.MS));
        verbs.put("exp.leaseLeft", words -> expirable(words).getLeaseTime(words.text(2)));
    }

    private void registerLatch(Map<String, Verb> verbs) {
        verbs.put("latch.trySetCount", words -> latch(words).trySetCount(words.number(2)));
        verbs.put("latch.await", words -> latch(words).await(words.number(2), Words.MS));
        verbs.put("latch.countDown", words -> {
            latch(words).countDown();
            return null;
        });
        verbs.put("latch.getCount", words -> latch(words).getCount());
        verbs.put("latch.delete", words -> latch(words).delete());
    }

    private RSemaphore semaphore(Words words) {
        return clients.get(words.text(0)).getSemaphore(words.text(1));
    }

    private RPermitExpirableSemaphore expirable(Words words) {
        return clients.get(words.text(0)).getPermitExpirableSemaphore(words.text(1));
    }

    private RCountDownLatch latch(Words words) {
        return clients.get(words.text(0)).getCountDownLatch(words.text(1));
    }
}
