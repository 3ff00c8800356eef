package bench;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Callers of one process, each on a thread of its own, as its locks want it. */
final class Callers {
    interface Caller {
        void run(int index) throws Exception;
    }

    private Callers() {
    }

    /** Returns when all of them have ended. */
    static void together(int callers, Caller caller) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(callers);
        List<Future<?>> ends = new ArrayList<>();
        for (int index = 0; index < callers; index++) {
            int own = index;
            ends.add(threads.submit(() -> {
                caller.run(own);
                return null;
            }));
        }
        threads.shutdown();
        for (Future<?> end : ends) {
            end.get();
        }
    }
}
