package fetchoff;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** What one `prepare` built: a client, and for each worker exchanges of its own. */
final class Workload implements AutoCloseable {
    private final List<List<Exchange>> exchanges;
    private final Workers workers;

    private Workload(List<List<Exchange>> exchanges, Workers workers) {
        this.exchanges = exchanges;
        this.workers = workers;
    }

    static Workload open(Library library, Settings settings, JsonArray messages) throws Exception {
        List<List<Exchange>> exchanges = exchanges(settings, messages);
        return new Workload(exchanges, workers(library.open(settings), exchanges));
    }

    private static List<List<Exchange>> exchanges(Settings settings, JsonArray messages) {
        List<List<Exchange>> workers = new ArrayList<>();
        for (int worker = 0; worker < settings.concurrency(); worker++) {
            workers.add(new ArrayList<>());
        }
        for (int index = 0; index < messages.size(); index++) {
            JsonObject message = messages.get(index).getAsJsonObject();
            Body body = Body.read(Json.member(message, "body"));
            for (int worker = 0; worker < settings.concurrency(); worker++) {
                Path file = settings.directory().orElse(Path.of("")).resolve(worker + "-" + index);
                workers.get(worker).add(new Exchange(message, body, settings, file));
            }
        }
        return workers;
    }

    private static Workers workers(Client client, List<List<Exchange>> exchanges) {
        if (client instanceof AsyncClient async) return new AsyncWorkers(async, exchanges);
        return new BlockingWorkers((BlockingClient) client, exchanges);
    }

    Tally run(long n, long busyNs) throws Exception {
        return workers.run(new Batch(n, busyNs), (int) Math.min(n, exchanges.size()));
    }

    /** The time that parsing took since this was asked last; 0 where nothing is parsed. */
    long takeParseNs() {
        return exchanges.stream().flatMap(List::stream).mapToLong(Exchange::takeParseNs).sum();
    }

    /** From now on the contents of the first worker are digested, or not. */
    void digest(boolean wanted) {
        for (Exchange exchange : exchanges.get(0)) {
            exchange.digest(wanted ? Digest.sha256() : Digest.NONE);
        }
    }

    List<String> digests() {
        return exchanges.get(0).stream().map(Exchange::sha256).collect(Collectors.toList());
    }

    @Override
    public void close() throws Exception {
        workers.close();
    }
}
