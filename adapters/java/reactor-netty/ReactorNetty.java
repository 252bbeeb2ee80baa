import fetchoff.AsyncClient;
import fetchoff.Body;
import fetchoff.Client;
import fetchoff.Description;
import fetchoff.Exchange;
import fetchoff.Library;
import fetchoff.Receiver;
import fetchoff.Settings;
import fetchoff.Unsupported;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelOption;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import java.util.concurrent.CompletableFuture;
import reactor.core.publisher.Mono;
import reactor.netty.http.Http11SslContextSpec;
import reactor.netty.http.Http2SslContextSpec;
import reactor.netty.http.HttpProtocol;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.client.HttpClientForm;
import reactor.netty.http.client.HttpClientResponse;
import reactor.netty.resources.ConnectionProvider;

/** Reactor Netty: one HttpClient for all exchanges, as below Spring's WebClient. */
public final class ReactorNetty implements Library {
    // No "proxy": it asks proxies for tunnels only (CONNECT), even to an http: URL.
    private static final String FEATURES =
            """
            http/1.1 h2 h2c tls method.get method.head method.post method.put
            body.form body.json body.multipart body.raw headers connection.reuse connection.fresh
            sink.buffer sink.discard decompression redirects
            timeout.connect timeout.read
            """;

    @Override
    public Description describe() {
        String version = Library.versionOf(HttpClient.class);
        String netty = Library.versionOf(ByteBuf.class);
        return new Description("reactor-netty", version, "Netty " + netty, FEATURES);
    }

    @Override
    public Client open(Settings settings) throws Unsupported {
        boolean isHttp2 = settings.protocol().startsWith("h2");
        if (isHttp2 && !settings.reuse()) throw new Unsupported("connection.fresh");
        ConnectionProvider provider =
                settings.reuse()
                        ? pool(isHttp2 ? 1 : settings.concurrency())
                        : ConnectionProvider.newConnection();
        return new Session(client(provider, settings), provider);
    }

    private static ConnectionProvider pool(int connections) {
        return ConnectionProvider.builder("fetchoff")
                .maxConnections(connections)
                .pendingAcquireMaxCount(-1) // the default is twice as many as connections
                .build();
    }

    private static HttpClient client(ConnectionProvider provider, Settings settings) {
        HttpClient client =
                HttpClient.create(provider)
                        .protocol(protocol(settings.protocol()))
                        .compress(settings.decompress())
                        .followRedirect(settings.redirects() > 0);
        if (settings.readTimeout().isPresent()) {
            client = client.responseTimeout(settings.readTimeout().get());
        }
        if (settings.connectTimeout().isPresent()) {
            int ms = (int) settings.connectTimeout().get().toMillis();
            client = client.option(ChannelOption.CONNECT_TIMEOUT_MILLIS, ms);
        }
        if (settings.trust().isPresent()) {
            var manager = settings.trust().get().manager();
            boolean h2 = settings.protocol().equals("h2");
            var spec = h2 ? Http2SslContextSpec.forClient() : Http11SslContextSpec.forClient();
            spec.configure(builder -> builder.trustManager(manager));
            client = client.secure(tls -> tls.sslContext(spec));
        }
        return client;
    }

    private static HttpProtocol protocol(String name) {
        return switch (name) {
            case "h2" -> HttpProtocol.H2;
            case "h2c" -> HttpProtocol.H2C;
            default -> HttpProtocol.HTTP11;
        };
    }

    private record Session(HttpClient client, ConnectionProvider provider) implements AsyncClient {
        @Override
        public CompletableFuture<Long> send(Exchange exchange) {
            HttpClient.ResponseReceiver<?> request = request(exchange);
            if (exchange.isStreamed()) return stream(request, exchange.receive());
            return request
                    .responseSingle(
                            (response, content) ->
                                    content.asByteArray()
                                            .defaultIfEmpty(new byte[0])
                                            .map(it -> exchange.content(status(response), it)))
                    .toFuture();
        }

        private static CompletableFuture<Long> stream(
                HttpClient.ResponseReceiver<?> request, Receiver receiver) {
            return request
                    .response(
                            (response, content) ->
                                    content.asByteBuffer()
                                            .doOnNext(receiver::write)
                                            .then(Mono.fromSupplier(() -> status(response)))
                                            .map(receiver::end))
                    .single()
                    .toFuture();
        }

        private static int status(HttpClientResponse response) {
            return response.status().code();
        }

        private HttpClient.ResponseReceiver<?> request(Exchange exchange) {
            HttpClient.RequestSender sender =
                    client.headers(fields -> fill(fields, exchange))
                            .request(HttpMethod.valueOf(exchange.method()))
                            .uri(exchange.url());
            if (exchange.body() instanceof Body.Multipart multipart) {
                return sender.sendForm((request, form) -> fill(form.multipart(true), multipart));
            }
            if (exchange.body() instanceof Body.Content content) {
                return sender.send(
                        Mono.fromSupplier(() -> Unpooled.wrappedBuffer(content.bytes())));
            }
            return sender;
        }

        private static void fill(HttpHeaders fields, Exchange exchange) {
            exchange.headers().forEach(field -> fields.add(field.name(), field.value()));
            if (exchange.body() instanceof Body.Content content) {
                fields.set(HttpHeaderNames.CONTENT_TYPE, content.contentType());
            }
        }

        private static void fill(HttpClientForm form, Body.Multipart body) {
            body.fields().forEach(field -> form.attr(field.name(), field.value()));
            for (var part : body.files()) {
                form.file(part.name(), part.filename(), part.path().toFile(), part.contentType());
            }
        }

        @Override
        public void close() {
            provider.disposeLater().block();
        }
    }
}
