package interop;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
import org.redisson.config.NameMapper;
import org.redisson.config.ReadMode;
import org.redisson.config.ShardedSubscriptionMode;
import org.redisson.config.SingleServerConfig;
import org.redisson.config.SubscriptionMode;

/** The Redisson clients of this process by name, and the locks on them. */
final class Clients {
    /** Between the members of a composite lock; no lock of ours has it in its name. */
    private static final String MEMBERS = "\u001f";

    private final Map<String, RedissonClient> clients = new ConcurrentHashMap<>();

    void register(Map<String, Verb> verbs) {
        // name, address, lockWatchdogTimeout, fairLockWaitTimeout, prefix that the name mapper adds, and how long a
        // server that does not answer is asked; 0: as long as Redisson does by itself. For a cluster the address has
        // commas between nodes, and the last word is how its clients subscribe: AUTO, ON or OFF
        verbs.put("connect", words -> {
            clients.put(words.text(0), connect(words));
            return get(words.text(0)).getId();
        });
        verbs.put("clientId", words -> get(words.text(0)).getId());
        verbs.put("disconnect", words -> {
            clients.remove(words.text(0)).shutdown();
            return null;
        });
    }

    RedissonClient get(String name) {
        RedissonClient client = clients.get(name);
        if (client == null) {
            throw new IllegalArgumentException("no such client: " + name);
        }
        return client;
    }

    /** @param target kind:client:name, or multi:member, red:member with several members, each kind:client:name */
    RLock lock(String target) {
        String[] parts = target.split(":", 2);
        switch (parts[0]) {
            case "multi":
                return anyClient(parts[1]).getMultiLock(members(parts[1]));
            case "red":
                return anyClient(parts[1]).getRedLock(members(parts[1]));
            default:
                return single(target);
        }
    }

    private RLock[] members(String targets) {
        String[] members = targets.split(MEMBERS);
        RLock[] locks = new RLock[members.length];
        for (int i = 0; i < members.length; i++) {
            locks[i] = single(members[i]);
        }
        return locks;
    }

    private RedissonClient anyClient(String targets) {
        return get(targets.split(":", 3)[1]);
    }

    private RLock single(String target) {
        String[] parts = target.split(":", 3);
        RedissonClient client = get(parts[1]);
        String name = parts[2];
        switch (parts[0]) {
            case "reentrant":
                return client.getLock(name);
            case "fair":
                return client.getFairLock(name);
            case "read":
                return client.getReadWriteLock(name).readLock();
            case "write":
                return client.getReadWriteLock(name).writeLock();
            case "fenced":
                return client.getFencedLock(name);
            case "spin":
                return client.getSpinLock(name);
            case "nonreentrant":
                return client.getNonReentrantLock(name);
            default:
                throw new IllegalArgumentException("no such kind: " + parts[0]);
        }
    }

    private static RedissonClient connect(Words words) {
        Config config = new Config();
        config.setLockWatchdogTimeout(words.number(2));
        config.setFairLockWaitTimeout(words.number(3));
        String prefix = words.text(4);
        if (!prefix.isEmpty()) {
            config.setNameMapper(new Prefix(prefix));
        }
        // As many as a test machine needs; what the clients say to Redis does not depend on it.
        config.setNettyThreads(4);
        String subscription = words.text(6);
        if (subscription.isEmpty()) {
            single(config, words);
        } else {
            cluster(config, words.text(1).split(","), ShardedSubscriptionMode.valueOf(subscription));
        }
        return Redisson.create(config);
    }

    private static void single(Config config, Words words) {
        SingleServerConfig server = config.useSingleServer();
        server.setAddress(words.text(1)).setConnectionMinimumIdleSize(4).setConnectionPoolSize(32);
        int patience = words.integer(5);
        if (patience > 0) {
            server.setRetryAttempts(0).setTimeout(patience).setConnectTimeout(patience);
        }
    }

    /** Reads go to masters: what a replica says may be old. */
    private static void cluster(Config config, String[] nodes, ShardedSubscriptionMode subscription) {
        config.useClusterServers()
            .addNodeAddress(nodes)
            .setShardedSubscriptionMode(subscription)
            .setReadMode(ReadMode.MASTER)
            .setSubscriptionMode(SubscriptionMode.MASTER)
            .setScanInterval(500)
            .setMasterConnectionMinimumIdleSize(2)
            .setMasterConnectionPoolSize(16)
            .setSlaveConnectionMinimumIdleSize(1);
    }

    private record Prefix(String prefix) implements NameMapper {
        @Override
        public String map(String name) {
            return prefix + name;
        }

        @Override
        public String unmap(String name) {
            return name.substring(prefix.length());
        }
    }
}
