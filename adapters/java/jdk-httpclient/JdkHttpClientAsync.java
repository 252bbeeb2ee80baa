import fetchoff.AsyncClient;
import fetchoff.Client;
import fetchoff.Description;
import fetchoff.Exchange;
import fetchoff.Library;
import fetchoff.Receiver;
import fetchoff.Settings;
import fetchoff.Unsupported;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.CompletableFuture;

/** java.net.http: one HttpClient for all exchanges, and futures of its responses. */
public final class JdkHttpClientAsync implements Library {
    @Override
    public Description describe() {
        String features = JdkHttpClient.FEATURES;
        return new Description("jdk-httpclient+async", Library.javaVersion(), "", features);
    }

    @Override
    public Client open(Settings settings) throws Unsupported {
        return new Session(new JdkHttpClient.Requests(settings));
    }

    private record Session(JdkHttpClient.Requests requests) implements AsyncClient {
        @Override
        public CompletableFuture<Long> send(Exchange exchange) {
            HttpRequest request = requests.request(exchange);
            if (exchange.isStreamed()) return stream(request, exchange.receive());
            return requests.client
                    .sendAsync(request, BodyHandlers.ofByteArray())
                    .thenApply(answer -> exchange.content(answer.statusCode(), answer.body()));
        }

        private CompletableFuture<Long> stream(HttpRequest request, Receiver receiver) {
            return requests.client
                    .sendAsync(
                            request,
                            BodyHandlers.ofByteArrayConsumer(
                                    chunk -> chunk.ifPresent(receiver::write)))
                    .thenApply(answer -> receiver.end(answer.statusCode()));
        }

        @Override
        public void close() throws Exception {
            requests.close();
        }
    }
}
