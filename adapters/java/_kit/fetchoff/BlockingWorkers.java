package fetchoff;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;

/** Workers that wait for each exchange: one in the main thread, more in threads of their own. */
final class BlockingWorkers implements Workers {
    private final BlockingClient client;
    private final List<List<Exchange>> workers;
    private final ExecutorService threads;

    BlockingWorkers(BlockingClient client, List<List<Exchange>> workers) {
        this.client = client;
        this.workers = workers;
        this.threads = Executors.newFixedThreadPool(workers.size());
    }

    @Override
    public Tally run(Batch batch, int count) throws Exception {
        if (count == 1) return iterate(batch, workers.get(0));
        List<Callable<Tally>> tasks =
                workers.stream()
                        .limit(count)
                        .<Callable<Tally>>map(exchanges -> () -> iterate(batch, exchanges))
                        .collect(Collectors.toList());
        Tally total = new Tally();
        for (Future<Tally> task : threads.invokeAll(tasks)) total = total.plus(task.get());
        return total;
    }

    private Tally iterate(Batch batch, List<Exchange> exchanges) {
        Tally tally = new Tally();
        while (batch.takeIteration()) {
            for (Exchange exchange : exchanges) {
                try {
                    tally.succeed(client.send(exchange));
                } catch (Exception | LinkageError error) {
                    tally.fail(error);
                }
                if (batch.busyNs > 0) tally.spin(batch.busyNs);
            }
        }
        return tally;
    }

    @Override
    public void close() throws Exception {
        threads.shutdownNow();
        client.close();
    }
}
