import fetchoff.BlockingClient;
import fetchoff.Body.Content;
import fetchoff.Client;
import fetchoff.Description;
import fetchoff.Exchange;
import fetchoff.JdkHttpClients;
import fetchoff.Library;
import fetchoff.Settings;
import fetchoff.Unsupported;
import java.io.InputStream;
import java.net.CookieManager;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Optional;

/** java.net.http: one HttpClient for all exchanges. */
public final class JdkHttpClient implements Library {
    static final String FEATURES =
            """
            http/1.1 h2 tls proxy method.get method.head method.post method.put
            body.form body.json body.raw headers connection.reuse connection.fresh
            sink.buffer sink.discard cookies redirects timeout.connect timeout.total
            """;

    @Override
    public Description describe() {
        String features = FEATURES + "read-size";
        return new Description("jdk-httpclient", Library.javaVersion(), "", features);
    }

    @Override
    public Client open(Settings settings) throws Unsupported {
        return new Session(new Requests(settings));
    }

    /** What the blocking and the asynchronous way have in common. */
    static final class Requests {
        static {
            // Documented in the module's page; without it no request may say "Connection: close".
            System.setProperty("jdk.httpclient.allowRestrictedHeaders", "connection");
        }

        final HttpClient client;
        private final boolean reuse;
        private final Optional<Duration> timeout;

        Requests(Settings settings) throws Unsupported {
            boolean h2 = settings.protocol().equals("h2");
            if (h2 && !settings.reuse()) throw new Unsupported("connection.fresh");
            HttpClient.Builder builder =
                    HttpClient.newBuilder()
                            .version(h2 ? HttpClient.Version.HTTP_2 : HttpClient.Version.HTTP_1_1);
            if (settings.redirects() > 0) builder.followRedirects(HttpClient.Redirect.NORMAL);
            if (settings.cookies()) builder.cookieHandler(new CookieManager());
            settings.connectTimeout().ifPresent(builder::connectTimeout);
            settings.trust().ifPresent(trust -> builder.sslContext(trust.context()));
            settings.proxy().ifPresent(address -> builder.proxy(ProxySelector.of(address)));
            client = builder.build();
            reuse = settings.reuse();
            timeout = settings.totalTimeout();
        }

        HttpRequest request(Exchange exchange) {
            HttpRequest.Builder builder = HttpRequest.newBuilder(URI.create(exchange.url()));
            if (exchange.body() instanceof Content content) {
                builder.method(exchange.method(), BodyPublishers.ofByteArray(content.bytes()));
                builder.header("Content-Type", content.contentType());
            } else {
                builder.method(exchange.method(), BodyPublishers.noBody());
            }
            exchange.headers().forEach(field -> builder.header(field.name(), field.value()));
            if (!reuse) builder.header("Connection", "close");
            timeout.ifPresent(builder::timeout);
            return builder.build();
        }

        void close() throws Exception {
            JdkHttpClients.close(client);
        }
    }

    private record Session(Requests requests) implements BlockingClient {
        @Override
        public long send(Exchange exchange) throws Exception {
            HttpRequest request = requests.request(exchange);
            if (exchange.isStreamed()) {
                HttpResponse<InputStream> response =
                        requests.client.send(request, BodyHandlers.ofInputStream());
                return exchange.stream(response.statusCode(), response.body());
            }
            HttpResponse<byte[]> response =
                    requests.client.send(request, BodyHandlers.ofByteArray());
            return exchange.content(response.statusCode(), response.body());
        }

        @Override
        public void close() throws Exception {
            requests.close();
        }
    }
}
