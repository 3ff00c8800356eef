package bench;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * Several clients of Redisson in one process, each an instance of an application: with connections of its own, as few as it can do
 * with, and with threads that they share.
 */
final class Crew {
    private static final int THREADS = 4;
    private final String url;
    private final EventLoopGroup loops = new NioEventLoopGroup(THREADS);
    private final ExecutorService executor = Executors.newFixedThreadPool(THREADS);
    private final List<RedissonClient> clients = new ArrayList<>();

    Crew(String url) {
        this.url = url;
    }

    void join(int instances) {
        while (clients.size() < instances) {
            Config config = new Config();
            config.setEventLoopGroup(loops);
            config.setExecutor(executor);
            config.useSingleServer()
                .setAddress(url)
                .setConnectionMinimumIdleSize(1)
                .setConnectionPoolSize(2)
                .setSubscriptionConnectionMinimumIdleSize(1)
                .setSubscriptionConnectionPoolSize(1);
            clients.add(Redisson.create(config));
        }
    }

    /** Callers of each take one lock again and again. */
    Figures run(Words options) throws Exception {
        List<LockLoop> loops = clients.stream()
            .map(client -> new LockLoop(client.getLock(options.text("name")), options))
            .toList();
        Callers.together(loops.size(), index -> loops.get(index).run());
        List<Integer> counts = loops.stream().map(loop -> loop.grants.size()).toList();
        List<Double> waits = loops.stream().map(LockLoop::longestWait).toList();
        List<Double> grants = loops.stream().flatMap(loop -> loop.grants.stream()).toList();
        List<Double> releases = loops.stream().flatMap(loop -> loop.releases.stream()).toList();
        return new Figures()
            .put("counts", counts)
            .put("waits", waits)
            .put("grants", grants)
            .put("releases", releases);
    }
}
