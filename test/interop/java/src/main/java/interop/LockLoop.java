package interop;

import org.redisson.api.RBucket;
import org.redisson.api.RFencedLock;
import org.redisson.api.RLock;
import org.redisson.client.codec.StringCodec;

/**
 * Takes a lock, adds 1 to a counter that only the lock protects from lost updates, gives the lock back, again and again.
 * Words: target, client of the counter, counter, times (0: no bound), ms (0: no bound). Answers with the holds, each as
 * begin,end,token with times in µs of the machine's monotonic clock, and ';' between them.
 */
final class LockLoop implements Verb {
    private final Clients clients;

    LockLoop(Clients clients) {
        this.clients = clients;
    }

    @Override
    public Object run(Words words) {
        RLock lock = clients.lock(words.text(0));
        RBucket<String> counter = clients.get(words.text(1)).getBucket(words.text(2), StringCodec.INSTANCE);
        long times = words.number(3) == 0 ? Long.MAX_VALUE : words.number(3);
        long end = words.number(4) == 0 ? Long.MAX_VALUE : System.nanoTime() + words.number(4) * 1_000_000;
        StringBuilder holds = new StringBuilder();
        for (long i = 0; i < times && System.nanoTime() < end; i++) {
            String token = take(lock);
            long begin = System.nanoTime();
            String value = counter.get();
            counter.set(String.valueOf(value == null ? 1 : Long.parseLong(value) + 1));
            long last = System.nanoTime();
            lock.unlock();
            holds.append(holds.isEmpty() ? "" : ";");
            holds.append(begin / 1000).append(',').append(last / 1000).append(',').append(token);
        }
        return holds;
    }

    private static String take(RLock lock) {
        if (lock instanceof RFencedLock fenced) {
            return String.valueOf(fenced.lockAndGetToken());
        }
        lock.lock();
        return "";
    }
}
