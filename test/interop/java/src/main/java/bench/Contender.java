package bench;

import com.sun.management.OperatingSystemMXBean;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * One process of Redisson in the benchmark: {@code Contender <url> <settings>}. Does the jobs that its parent names, a line of
 * JSON each, as run/jobs.mjs describes them. A caller is a thread. Instants are in ms of the machine's monotonic clock.
 */
public final class Contender {
    private final RedissonClient client;
    private final boolean fair;
    /** Who holds a lock has to release it. */
    private final ExecutorService holder = Executors.newSingleThreadExecutor();
    private RLock held;
    private final Crew crew;
    private final List<Future<?>> waiters = new ArrayList<>();
    private final List<Double> grants = Collections.synchronizedList(new ArrayList<>());

    private Contender(String url, Words settings) {
        Config config = new Config();
        config.useSingleServer().setAddress(url);
        client = Redisson.create(config);
        crew = new Crew(url);
        fair = settings.text("kind").equals("fair");
    }

    public static void main(String[] args) throws IOException {
        PrintStream out = System.out;
        // Whatever else prints must not look like an answer.
        System.setOut(System.err);
        Contender contender = new Contender(args[0], new Words(args[1]));
        out.println("{\"id\":0}");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            Words message = new Words(line);
            Figures answer = new Figures().put("id", message.number("id"));
            try {
                answer.put("figures", contender.work(message.text("job"), message.words("options")));
            } catch (Exception error) {
                answer.put("error", "\"" + String.valueOf(error).replaceAll("[^\\w .:]", "") + "\"");
            }
            out.println(answer);
        }
        Runtime.getRuntime().halt(0);
    }

    private Figures work(String job, Words options) throws Exception {
        switch (job) {
            case "pairs":
                return pairs(options);
            case "hold":
                held = lock(options.text("name"));
                holder.submit(() -> held.lock()).get();
                return new Figures();
            case "release":
                double at = instant();
                holder.submit(() -> held.unlock()).get();
                return new Figures().put("at", at);
            case "wait":
                return standInLine(options);
            case "drained":
                for (Future<?> waiter : waiters) {
                    waiter.get();
                }
                return new Figures().put("grants", grants);
            case "loop":
                return loop(options);
            case "join":
                crew.join(options.number("instances"));
                return new Figures();
            case "fleet":
                return crew.run(options);
            case "rest":
                Thread.sleep(options.number("ms"));
                return new Figures();
            default:
                throw new IllegalArgumentException("not known to Redisson: " + job);
        }
    }

    private RLock lock(String name) {
        return fair ? client.getFairLock(name) : client.getLock(name);
    }

    private Figures pairs(Words options) throws Exception {
        int callers = options.number("callers");
        int each = options.number("each");
        int distinct = Math.max(options.number("distinct"), callers);
        double[] latencies = new double[callers * each];
        long cpu = cpu();
        double start = instant();
        Callers.together(callers, index -> {
            for (int turn = 0; turn < each; turn++) {
                RLock lock = lock(options.text("prefix") + ":" + (index + turn * callers) % distinct);
                double from = instant();
                if (!lock.tryLock()) {
                    throw new IllegalStateException(lock.getName() + " was refused");
                }
                lock.unlock();
                latencies[index * each + turn] = instant() - from;
            }
        });
        double ms = instant() - start;
        Arrays.sort(latencies);
        return new Figures()
            .put("count", latencies.length)
            .put("perSecond", latencies.length * 1000 / ms)
            .put("cpu", (cpu() - cpu) / 1000.0 / latencies.length)
            .put("p50", quantile(latencies, 0.5))
            .put("p99", quantile(latencies, 0.99));
    }

    /** Each releases at once what it gets. */
    private Figures standInLine(Words options) {
        int count = options.number("count");
        ExecutorService threads = Executors.newFixedThreadPool(count);
        grants.clear();
        waiters.clear();
        for (int index = 0; index < count; index++) {
            RLock lock = lock(options.text("name"));
            waiters.add(threads.submit(() -> {
                lock.lock();
                grants.add(instant());
                lock.unlock();
            }));
        }
        threads.shutdown();
        return new Figures();
    }

    private Figures loop(Words options) throws Exception {
        LockLoop loop = new LockLoop(lock(options.text("name")), options);
        loop.run();
        double[] sorted = loop.waits.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        Figures figures = new Figures()
            .put("count", loop.grants.size())
            .put("waitP50", quantile(sorted, 0.5))
            .put("waitMost", quantile(sorted, 1));
        return options.number("work") == 0 ? figures : figures.put("grants", loop.grants).put("releases", loop.releases);
    }

    private static double quantile(double[] sorted, double share) {
        return sorted.length == 0 ? Double.NaN : sorted[Math.min(sorted.length - 1, (int) (sorted.length * share))];
    }

    static double instant() {
        return System.nanoTime() / 1e6;
    }

    /** Of the process, in ns. */
    private static long cpu() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }
}
