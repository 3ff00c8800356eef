package interop;

import java.util.Map;
import org.redisson.api.RFencedLock;
import org.redisson.api.RLock;

/** What can be done with a lock: the first word says which, the times in ms follow. */
final class LockVerbs {
    private final Clients clients;

    LockVerbs(Clients clients) {
        this.clients = clients;
    }

    void register(Map<String, Verb> verbs) {
        verbs.put("lock", this::lock);
        verbs.put("tryLock", this::tryLock);
        verbs.put("unlock", words -> {
            lock(words.text(0)).unlock();
            return null;
        });
        verbs.put("forceUnlock", words -> lock(words.text(0)).forceUnlock());
        verbs.put("isLocked", words -> lock(words.text(0)).isLocked());
        verbs.put("isHeld", words -> lock(words.text(0)).isHeldByCurrentThread());
        verbs.put("holdCount", words -> lock(words.text(0)).getHoldCount());
        verbs.put("ttl", words -> lock(words.text(0)).remainTimeToLive());
        verbs.put("lockAndGetToken", this::lockAndGetToken);
        verbs.put("tryLockAndGetToken", this::tryLockAndGetToken);
        verbs.put("getToken", words -> fenced(words).getToken());
    }

    private RLock lock(String target) {
        return clients.lock(target);
    }

    private RFencedLock fenced(Words words) {
        return (RFencedLock) lock(words.text(0));
    }

    /** Without a second word there is no lease: the watchdog renews it. */
    private Object lock(Words words) {
        RLock lock = lock(words.text(0));
        if (words.count() == 1) {
            lock.lock();
        } else {
            lock.lock(words.number(1), Words.MS);
        }
        return null;
    }

    private Object tryLock(Words words) throws InterruptedException {
        RLock lock = lock(words.text(0));
        return switch (words.count()) {
            case 1 -> lock.tryLock();
            case 2 -> lock.tryLock(words.number(1), Words.MS);
            default -> lock.tryLock(words.number(1), words.number(2), Words.MS);
        };
    }

    private Object lockAndGetToken(Words words) {
        RFencedLock lock = fenced(words);
        return words.count() == 1 ? lock.lockAndGetToken() : lock.lockAndGetToken(words.number(1), Words.MS);
    }

    private Object tryLockAndGetToken(Words words) {
        RFencedLock lock = fenced(words);
        return switch (words.count()) {
            case 1 -> lock.tryLockAndGetToken();
            case 2 -> lock.tryLockAndGetToken(words.number(1), Words.MS);
            default -> lock.tryLockAndGetToken(words.number(1), words.number(2), Words.MS);
        };
    }
}
