package fetchoff;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Set;

/** The conversation with the harness, docs/protocol.md: one line is answered by one line. */
final class Conversation {
    private static final int PROTOCOL = 1;

    private final Library library;
    private final Description description;
    private final Set<String> features;
    private Workload workload;
    private boolean isFinished;

    Conversation(Library library) {
        this.library = library;
        this.description = library.describe();
        this.features = description.declared();
    }

    /** Answers until `finish`, or until the requests end. */
    void hold(InputStream requests, OutputStream answers) throws Exception {
        var lines = new BufferedReader(new InputStreamReader(requests, StandardCharsets.UTF_8));
        String line = lines.readLine();
        while (line != null) {
            answers.write((answer(line) + "\n").getBytes(StandardCharsets.UTF_8));
            line = isFinished ? null : lines.readLine();
        }
        drop();
    }

    private JsonNode answer(String line) {
        try {
            JsonNode message = Json.MAPPER.readTree(line);
            String op = message.path("op").asText();
            return switch (op) {
                case "hello" -> hello(message);
                case "prepare" -> prepare(message);
                case "run" -> run(message);
                case "finish" -> finish();
                default -> answer().put("error", "unknown op: '" + op + "'");
            };
        } catch (Unsupported refusal) {
            return answer().put("unsupported", refusal.feature);
        } catch (IOException error) {
            return answer().put("error", "not a message: " + error.getMessage());
        } catch (Exception | LinkageError error) {
            return answer().put("error", Tally.describe(error));
        }
    }

    private JsonNode hello(JsonNode message) {
        if (message.path("protocol").asInt() != PROTOCOL) {
            return answer().put("error", "only protocol " + PROTOCOL + " is spoken here");
        }
        ObjectNode answer =
                answer().put("protocol", PROTOCOL)
                        .put("client", description.client())
                        .put("version", description.version())
                        .put("runtime", runtime())
                        .put("engine", description.engine());
        features.forEach(answer.putArray("features")::add);
        return answer;
    }

    private static String runtime() {
        return "Java " + Library.javaVersion() + " (" + System.getProperty("java.vm.name") + ")";
    }

    private JsonNode prepare(JsonNode message) throws Exception {
        drop();
        for (JsonNode feature : Json.member(message, "require")) {
            if (!features.contains(feature.asText())) throw new Unsupported(feature.asText());
        }
        Settings settings = Settings.read(Json.member(message, "settings"));
        workload = Workload.open(library, settings, Json.member(message, "exchanges"));
        return answer().put("ready", true);
    }

    private JsonNode run(JsonNode message) throws Exception {
        long n = Json.member(message, "n").asLong();
        long busyNs = message.path("busy_ns").asLong();
        boolean isDigested = message.path("digest").asBoolean();
        if (workload == null) throw new IllegalStateException("run before a successful prepare");
        if (n < 1) throw new IllegalArgumentException("n must be at least 1");
        if (isDigested && n != 1) throw new IllegalArgumentException("a digest needs an n of 1");
        workload.digest(isDigested);
        long start = System.nanoTime();
        Tally tally = workload.run(n, busyNs);
        long wallNs = System.nanoTime() - start;
        ObjectNode answer =
                answer().put("done", tally.done)
                        .put("failed", tally.failed)
                        .put("bytes", tally.bytes)
                        .put("wall_ns", wallNs);
        if (tally.error != null) answer.put("error", tally.error);
        if (busyNs > 0) answer.put("busy_ns", tally.spunNs);
        if (isDigested) workload.digests().forEach(answer.putArray("sha256")::add);
        return answer;
    }

    private JsonNode finish() throws Exception {
        drop();
        isFinished = true;
        return answer().put("finished", true);
    }

    private void drop() throws Exception {
        Workload dropped = workload;
        workload = null;
        if (dropped != null) dropped.close();
    }

    private static ObjectNode answer() {
        return Json.MAPPER.createObjectNode();
    }
}
