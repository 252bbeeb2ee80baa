import fetchoff.AsyncClient;
import fetchoff.Body.Content;
import fetchoff.Client;
import fetchoff.Description;
import fetchoff.Exchange;
import fetchoff.Library;
import fetchoff.Receiver;
import fetchoff.Settings;
import fetchoff.Unsupported;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.apache.hc.client5.http.async.methods.AbstractBinResponseConsumer;
import org.apache.hc.client5.http.async.methods.SimpleHttpRequest;
import org.apache.hc.client5.http.async.methods.SimpleHttpResponse;
import org.apache.hc.client5.http.async.methods.SimpleRequestBuilder;
import org.apache.hc.client5.http.async.methods.SimpleRequestProducer;
import org.apache.hc.client5.http.async.methods.SimpleResponseConsumer;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.config.TlsConfig;
import org.apache.hc.client5.http.impl.async.CloseableHttpAsyncClient;
import org.apache.hc.client5.http.impl.async.H2AsyncClientBuilder;
import org.apache.hc.client5.http.impl.async.HttpAsyncClientBuilder;
import org.apache.hc.client5.http.impl.async.HttpAsyncClients;
import org.apache.hc.client5.http.impl.nio.PoolingAsyncClientConnectionManagerBuilder;
import org.apache.hc.client5.http.nio.AsyncClientConnectionManager;
import org.apache.hc.client5.http.ssl.DefaultClientTlsStrategy;
import org.apache.hc.core5.concurrent.FutureCallback;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.nio.AsyncResponseConsumer;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.apache.hc.core5.util.Timeout;

/**
 * Apache HttpClient 5: one CloseableHttpAsyncClient for all exchanges. It is longer than most,
 * because the library has a builder of its own for the client that shares HTTP/2 connections.
 */
public final class ApacheHttpClient5Async implements Library {
    private static final String FEATURES =
            """
            http/1.1 h2 h2c tls proxy method.get method.head method.post method.put
            body.form body.json body.raw headers connection.reuse connection.fresh
            sink.buffer sink.discard cookies redirects timeout.connect timeout.read
            """;

    @Override
    public Description describe() {
        String version = Library.versionOf(CloseableHttpAsyncClient.class);
        return new Description("apache-httpclient5+async", version, "", FEATURES);
    }

    @Override
    public Client open(Settings settings) throws Unsupported {
        CloseableHttpAsyncClient client =
                settings.protocol().equals("http/1.1") ? http1(settings) : http2(settings);
        client.start();
        return new Session(client);
    }

    private static CloseableHttpAsyncClient http1(Settings settings) {
        HttpAsyncClientBuilder builder =
                HttpAsyncClients.custom()
                        .setConnectionManager(connections(settings))
                        .setDefaultRequestConfig(redirects(settings));
        if (!settings.reuse()) {
            builder.setConnectionReuseStrategy((request, response, context) -> false);
        }
        if (!settings.cookies()) builder.disableCookieManagement();
        if (settings.redirects() == 0) builder.disableRedirectHandling();
        settings.proxy()
                .map(at -> new HttpHost("http", at.getHostString(), at.getPort()))
                .ifPresent(builder::setProxy);
        return builder.build();
    }

    private static AsyncClientConnectionManager connections(Settings settings) {
        PoolingAsyncClientConnectionManagerBuilder builder =
                PoolingAsyncClientConnectionManagerBuilder.create()
                        .setDefaultConnectionConfig(timeouts(settings))
                        .setDefaultTlsConfig(
                                TlsConfig.custom()
                                        .setVersionPolicy(HttpVersionPolicy.FORCE_HTTP_1)
                                        .build())
                        .setMaxConnTotal(settings.concurrency())
                        .setMaxConnPerRoute(settings.concurrency());
        settings.trust()
                .map(trust -> new DefaultClientTlsStrategy(trust.context()))
                .ifPresent(builder::setTlsStrategy);
        return builder.build();
    }

    private static CloseableHttpAsyncClient http2(Settings settings) throws Unsupported {
        if (!settings.reuse()) throw new Unsupported("connection.fresh");
        if (settings.proxy().isPresent()) throw new Unsupported("proxy");
        H2AsyncClientBuilder builder =
                HttpAsyncClients.customHttp2()
                        .setDefaultConnectionConfig(timeouts(settings))
                        .setDefaultRequestConfig(redirects(settings));
        settings.trust()
                .map(trust -> new DefaultClientTlsStrategy(trust.context()))
                .ifPresent(builder::setTlsStrategy);
        if (!settings.cookies()) builder.disableCookieManagement();
        if (settings.redirects() == 0) builder.disableRedirectHandling();
        return builder.build();
    }

    private static RequestConfig redirects(Settings settings) {
        return RequestConfig.custom().setMaxRedirects(settings.redirects()).build();
    }

    private static ConnectionConfig timeouts(Settings settings) {
        ConnectionConfig.Builder timeouts = ConnectionConfig.custom();
        settings.connectTimeout().map(Timeout::of).ifPresent(timeouts::setConnectTimeout);
        settings.readTimeout().map(Timeout::of).ifPresent(timeouts::setSocketTimeout);
        return timeouts.build();
    }

    private record Session(CloseableHttpAsyncClient client) implements AsyncClient {
        @Override
        public CompletableFuture<Long> send(Exchange exchange) {
            SimpleRequestBuilder builder =
                    SimpleRequestBuilder.create(exchange.method()).setUri(exchange.url());
            exchange.headers().forEach(field -> builder.addHeader(field.name(), field.value()));
            if (exchange.body() instanceof Content content) {
                builder.setBody(content.bytes(), ContentType.parse(content.contentType()));
            }
            SimpleHttpRequest request = builder.build();
            if (exchange.isStreamed()) return execute(request, new Streaming(exchange.receive()));
            return execute(request, SimpleResponseConsumer.create())
                    .thenApply(response -> exchange.content(response.getCode(), bytes(response)));
        }

        private <T> CompletableFuture<T> execute(
                SimpleHttpRequest request, AsyncResponseConsumer<T> consumer) {
            CompletableFuture<T> result = new CompletableFuture<>();
            var producer = SimpleRequestProducer.create(request);
            client.execute(producer, consumer, new Completing<>(result));
            return result;
        }

        private static byte[] bytes(SimpleHttpResponse response) {
            byte[] content = response.getBodyBytes();
            return content == null ? new byte[0] : content;
        }

        @Override
        public void close() throws IOException {
            client.close();
        }
    }

    private record Completing<T>(CompletableFuture<T> future) implements FutureCallback<T> {
        @Override
        public void completed(T result) {
            future.complete(result);
        }

        @Override
        public void failed(Exception error) {
            future.completeExceptionally(error);
        }

        @Override
        public void cancelled() {
            future.cancel(false);
        }
    }

    private static final class Streaming extends AbstractBinResponseConsumer<Long> {
        private final Receiver receiver;
        private int status;

        Streaming(Receiver receiver) {
            this.receiver = receiver;
        }

        @Override
        protected void start(HttpResponse response, ContentType type) {
            status = response.getCode();
        }

        @Override
        protected int capacityIncrement() {
            return Integer.MAX_VALUE;
        }

        @Override
        protected void data(ByteBuffer chunk, boolean isLast) {
            receiver.write(chunk);
        }

        @Override
        protected Long buildResult() {
            return receiver.end(status);
        }

        @Override
        public void releaseResources() {
            receiver.close();
        }
    }
}
