package interop;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** A thread of its own, so a holder of its own: does what it is told, one thing after the other. */
final class Owner {
    private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
    private final Thread thread;

    Owner(String name) {
        thread = new Thread(this::work, "owner " + name);
        thread.setDaemon(true);
        thread.start();
    }

    void tell(Runnable task) {
        tasks.add(task);
    }

    /** Ends what it waits for, as a cancelled task of an executor would. */
    void interrupt() {
        thread.interrupt();
    }

    private void work() {
        while (true) {
            try {
                tasks.take().run();
            } catch (InterruptedException interrupted) {
                // It came after the wait that it was meant for: there is nothing to end.
            }
        }
    }
}
