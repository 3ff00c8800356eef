package interop;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;

/**
 * Writes one line for each command: its id, "ok" or "error", when it began and when it had ended (epoch ms with
 * fractions, by this process), and the value, or the error's class and message.
 */
final class Answers {
    private final PrintStream out;

    Answers(PrintStream out) {
        this.out = new PrintStream(out, true, StandardCharsets.UTF_8);
    }

    void give(String id, Verb verb, Words words) {
        double from = now();
        String line;
        try {
            Object value = verb.run(words);
            line = join(id, "ok", from, now(), value == null ? "" : value.toString());
        } catch (Throwable problem) {
            line = join(id, "error", from, now(), problem.getClass().getSimpleName() + "\t" + textOf(problem));
        }
        synchronized (this) {
            out.println(line);
        }
    }

    /** The message, and what caused it: Redisson says of some errors only that they were not expected. */
    private static String textOf(Throwable problem) {
        StringBuilder text = new StringBuilder(String.valueOf(problem.getMessage()));
        for (Throwable cause = problem.getCause(); cause != null; cause = cause.getCause()) {
            text.append("; caused by ").append(cause);
        }
        return text.toString().replaceAll("\\s+", " ");
    }

    private static String join(String id, String how, double from, double at, String rest) {
        return id + "\t" + how + "\t" + from + "\t" + at + "\t" + rest;
    }

    private static double now() {
        return Duration.between(Instant.EPOCH, Instant.now()).toNanos() / 1_000_000.0;
    }
}
