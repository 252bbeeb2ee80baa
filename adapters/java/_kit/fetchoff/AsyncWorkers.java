package fetchoff;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/** Workers that begin the next exchange when the last one has ended, in whatever thread it did. */
final class AsyncWorkers implements Workers {
    private final AsyncClient client;
    private final List<List<Exchange>> workers;

    AsyncWorkers(AsyncClient client, List<List<Exchange>> workers) {
        this.client = client;
        this.workers = workers;
    }

    @Override
    public Tally run(Batch batch, int count) {
        List<CompletableFuture<Tally>> flows =
                workers.stream()
                        .limit(count)
                        .map(exchanges -> new Flow(batch, exchanges).start())
                        .collect(Collectors.toList());
        return flows.stream().map(CompletableFuture::join).reduce(new Tally(), Tally::plus);
    }

    @Override
    public void close() throws Exception {
        client.close();
    }

    /** One worker's part of a batch. */
    private final class Flow {
        private final Batch batch;
        private final List<Exchange> exchanges;
        private final Tally tally = new Tally();
        private final CompletableFuture<Tally> ended = new CompletableFuture<>();
        private int next;

        Flow(Batch batch, List<Exchange> exchanges) {
            this.batch = batch;
            this.exchanges = exchanges;
            this.next = exchanges.size();
        }

        CompletableFuture<Tally> start() {
            goOn();
            return ended;
        }

        private void goOn() {
            while (hasNext()) {
                CompletableFuture<Long> exchange = begin(exchanges.get(next++));
                if (!exchange.isDone()) {
                    exchange.whenComplete(this::recordAndGoOn);
                    return;
                }
                exchange.whenComplete(this::record); // a loop, lest the stack grow
            }
            ended.complete(tally);
        }

        private boolean hasNext() {
            if (next < exchanges.size()) return true;
            next = 0;
            return batch.takeIteration();
        }

        private CompletableFuture<Long> begin(Exchange exchange) {
            try {
                return client.send(exchange);
            } catch (Exception | LinkageError error) {
                return CompletableFuture.failedFuture(error);
            }
        }

        private void recordAndGoOn(Long length, Throwable error) {
            record(length, error);
            goOn();
        }

        private void record(Long length, Throwable error) {
            if (error == null) tally.succeed(length);
            else tally.fail(error);
            if (batch.busyNs > 0) tally.spin(batch.busyNs);
        }
    }
}
