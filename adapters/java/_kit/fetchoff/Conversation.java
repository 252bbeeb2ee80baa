package fetchoff;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
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

    private JsonObject answer(String line) {
        try {
            JsonObject message = Json.object(JsonParser.parseString(line));
            String op = Json.text(message, "op");
            return switch (op) {
                case "hello" -> hello(message);
                case "prepare" -> prepare(message);
                case "run" -> run(message);
                case "finish" -> finish();
                default -> answer("error", "unknown op: '" + op + "'");
            };
        } catch (Unsupported refusal) {
            return answer("unsupported", refusal.feature);
        } catch (Exception | LinkageError error) {
            return answer("error", Tally.describe(error));
        }
    }

    private JsonObject hello(JsonObject message) {
        if (Json.member(message, "protocol").getAsInt() != PROTOCOL) {
            return answer("error", "only protocol " + PROTOCOL + " is spoken here");
        }
        JsonObject answer = new JsonObject();
        answer.addProperty("protocol", PROTOCOL);
        answer.addProperty("client", description.client());
        answer.addProperty("version", description.version());
        answer.addProperty("runtime", runtime());
        answer.addProperty("engine", description.engine());
        answer.add("features", array(features));
        return answer;
    }

    private static String runtime() {
        return "Java " + Library.javaVersion() + " (" + System.getProperty("java.vm.name") + ")";
    }

    private JsonObject prepare(JsonObject message) throws Exception {
        drop();
        for (JsonElement feature : Json.member(message, "require").getAsJsonArray()) {
            if (!features.contains(feature.getAsString())) {
                throw new Unsupported(feature.getAsString());
            }
        }
        Settings settings = Settings.read(Json.member(message, "settings").getAsJsonObject());
        JsonArray exchanges = Json.member(message, "exchanges").getAsJsonArray();
        workload = Workload.open(library, settings, exchanges);
        return answer("ready", true);
    }

    private JsonObject run(JsonObject message) throws Exception {
        long n = Json.member(message, "n").getAsLong();
        long busyNs = Json.optional(message, "busy_ns").map(JsonElement::getAsLong).orElse(0L);
        boolean isDigested = message.has("digest");
        if (workload == null) throw new IllegalStateException("run before a successful prepare");
        if (n < 1) throw new IllegalArgumentException("n must be at least 1");
        if (isDigested && n != 1) throw new IllegalArgumentException("a digest needs an n of 1");
        workload.digest(isDigested);
        long start = System.nanoTime();
        Tally tally = workload.run(n, busyNs);
        long wallNs = System.nanoTime() - start;
        JsonObject answer = new JsonObject();
        answer.addProperty("done", tally.done);
        answer.addProperty("failed", tally.failed);
        answer.addProperty("bytes", tally.bytes);
        answer.addProperty("wall_ns", wallNs);
        if (tally.error != null) answer.addProperty("error", tally.error);
        if (busyNs > 0) answer.addProperty("busy_ns", tally.spunNs);
        long parseNs = workload.takeParseNs();
        if (parseNs > 0) answer.addProperty("parse_ns", parseNs);
        if (isDigested) answer.add("sha256", array(workload.digests()));
        return answer;
    }

    private JsonObject finish() throws Exception {
        drop();
        isFinished = true;
        return answer("finished", true);
    }

    private void drop() throws Exception {
        Workload dropped = workload;
        workload = null;
        if (dropped != null) dropped.close();
    }

    private static JsonObject answer(String name, String text) {
        JsonObject answer = new JsonObject();
        answer.addProperty(name, text);
        return answer;
    }

    private static JsonObject answer(String name, Boolean value) {
        JsonObject answer = new JsonObject();
        answer.addProperty(name, value);
        return answer;
    }

    private static JsonArray array(Collection<String> texts) {
        JsonArray array = new JsonArray();
        texts.forEach(array::add);
        return array;
    }
}
