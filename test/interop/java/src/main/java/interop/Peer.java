package interop;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Reads commands from stdin, a line each: id, owner, verb, words, with tabs between them. Commands of one owner run in
 * order on its thread; those of several owners run at the same time. Ends with its stdin.
 */
public final class Peer {
    private Peer() {
    }

    public static void main(String[] args) throws IOException {
        Answers answers = new Answers(System.out);
        // Whatever else prints must not look like an answer.
        System.setOut(System.err);
        Clients clients = new Clients();
        Map<String, Verb> verbs = new HashMap<>();
        clients.register(verbs);
        new LockVerbs(clients).register(verbs);
        new PermitVerbs(clients).register(verbs);
        verbs.put("loop", new LockLoop(clients));
        verbs.put("threadId", words -> Thread.currentThread().getId());

        Map<String, Owner> owners = new HashMap<>();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] parts = line.split("\t", -1);
            String id = parts[0];
            Owner owner = owners.computeIfAbsent(parts[1], Owner::new);
            Verb verb = verbs.getOrDefault(parts[2], words -> {
                throw new IllegalArgumentException("no such verb: " + parts[2]);
            });
            Words words = new Words(Arrays.copyOfRange(parts, 3, parts.length));
            if (parts[2].equals("interrupt")) {
                owner.interrupt();
                answers.give(id, none -> null, words);
            } else {
                owner.tell(() -> answers.give(id, verb, words));
            }
        }
        // Also when nobody said goodbye: whoever wrote the commands is gone.
        Runtime.getRuntime().halt(0);
    }
}
