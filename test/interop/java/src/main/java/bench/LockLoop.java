package bench;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.redisson.api.RLock;

/** Callers of one client that take one lock again and again for some time. Instants are in ms of the machine's monotonic clock. */
final class LockLoop {
    final List<Double> grants = Collections.synchronizedList(new ArrayList<>());
    final List<Double> releases = Collections.synchronizedList(new ArrayList<>());
    final List<Double> waits = Collections.synchronizedList(new ArrayList<>());
    private final RLock lock;
    private final int callers;
    private final long work;
    private final double settle;
    private final double ms;

    LockLoop(RLock lock, Words options) {
        this.lock = lock;
        callers = options.number("callers");
        work = options.number("work");
        settle = options.number("settle");
        ms = options.number("ms");
    }

    /** Returns when all callers have ended. */
    void run() throws Exception {
        double begin = Contender.instant() + settle;
        double end = begin + ms;
        Callers.together(callers, index -> {
            for (double asked = Contender.instant(); asked < end; asked = Contender.instant()) {
                lock.lock();
                double at = Contender.instant();
                boolean counts = at >= begin && at < end;
                if (at >= begin) {
                    waits.add(at - asked);
                }
                if (counts) {
                    grants.add(at);
                }
                if (work > 0) {
                    Thread.sleep(work);
                    if (counts) {
                        releases.add(Contender.instant());
                    }
                }
                lock.unlock();
            }
        });
    }

    double longestWait() {
        return waits.stream().mapToDouble(Double::doubleValue).max().orElse(Double.NaN);
    }
}
