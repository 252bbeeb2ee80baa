import fetchoff.BlockingClient;
import fetchoff.Body;
import fetchoff.Client;
import fetchoff.Description;
import fetchoff.Exchange;
import fetchoff.Library;
import fetchoff.Settings;
import java.io.IOException;
import java.net.CookieManager;
import java.net.Proxy;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import okhttp3.ConnectionPool;
import okhttp3.FormBody;
import okhttp3.Interceptor;
import okhttp3.JavaNetCookieJar;
import okhttp3.MediaType;
import okhttp3.MultipartBody;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;

/** OkHttp: one OkHttpClient for all exchanges. */
public final class OkHttp implements Library {
    private static final String FEATURES =
            """
            http/1.1 h2 h2c tls proxy method.get method.head method.post method.put
            body.form body.json body.multipart body.raw headers connection.reuse connection.fresh
            sink.buffer sink.discard read-size cookies decompression redirects
            timeout.connect timeout.read timeout.total option.tcp_nodelay
            """;

    @Override
    public Description describe() {
        return new Description("okhttp", okhttp3.OkHttp.VERSION, "", FEATURES);
    }

    @Override
    public Client open(Settings settings) {
        // Five idle connections are the library's default.
        int idle = settings.reuse() ? Math.max(5, settings.concurrency()) : 0;
        OkHttpClient.Builder builder =
                new OkHttpClient.Builder()
                        .protocols(protocols(settings.protocol()))
                        .connectionPool(new ConnectionPool(idle, 5, TimeUnit.MINUTES))
                        .followRedirects(settings.redirects() > 0);
        if (settings.cookies()) builder.cookieJar(new JavaNetCookieJar(new CookieManager()));
        settings.connectTimeout().ifPresent(builder::connectTimeout);
        settings.readTimeout().ifPresent(builder::readTimeout);
        settings.totalTimeout().ifPresent(builder::callTimeout);
        settings.proxy().ifPresent(at -> builder.proxy(new Proxy(Proxy.Type.HTTP, at)));
        settings.option("tcp_nodelay")
                .or(OkHttp::variant)
                .ifPresent(it -> builder.addNetworkInterceptor(noDelay(it)));
        settings.trust().ifPresent(it -> builder.sslSocketFactory(it.factory(), it.manager()));
        return new Session(builder.build(), settings.decompress());
    }

    /** What a variant of this client asks of its sockets. */
    private static Optional<Boolean> variant() {
        return Optional.ofNullable(System.getenv("TCP_NODELAY")).map("1"::equals);
    }

    /** Called for each exchange once it has a connection, before the request is written. */
    private static Interceptor noDelay(boolean isOn) {
        return chain -> {
            chain.connection().socket().setTcpNoDelay(isOn);
            return chain.proceed(chain.request());
        };
    }

    private static List<Protocol> protocols(String protocol) {
        return switch (protocol) {
            case "h2" -> List.of(Protocol.HTTP_2, Protocol.HTTP_1_1);
            case "h2c" -> List.of(Protocol.H2_PRIOR_KNOWLEDGE);
            default -> List.of(Protocol.HTTP_1_1);
        };
    }

    private record Session(OkHttpClient client, boolean decompress) implements BlockingClient {
        @Override
        public long send(Exchange exchange) throws IOException {
            Request.Builder request =
                    new Request.Builder()
                            .url(exchange.url())
                            .method(exchange.method(), body(exchange.body()));
            exchange.headers().forEach(field -> request.addHeader(field.name(), field.value()));
            if (!decompress) request.header("Accept-Encoding", "identity");
            try (Response response = client.newCall(request.build()).execute()) {
                return exchange.isStreamed()
                        ? exchange.stream(response.code(), response.body().byteStream())
                        : exchange.content(response.code(), response.body().bytes());
            }
        }

        private static RequestBody body(Body body) {
            if (body instanceof Body.Form form) {
                FormBody.Builder builder = new FormBody.Builder();
                form.fields().forEach(field -> builder.add(field.name(), field.value()));
                return builder.build();
            }
            if (body instanceof Body.Multipart multipart) return multipart(multipart);
            if (body instanceof Body.Content content) {
                return RequestBody.create(content.bytes(), MediaType.get(content.contentType()));
            }
            return null;
        }

        private static RequestBody multipart(Body.Multipart body) {
            MultipartBody.Builder builder = new MultipartBody.Builder().setType(MultipartBody.FORM);
            body.fields().forEach(field -> builder.addFormDataPart(field.name(), field.value()));
            for (var part : body.files()) {
                MediaType type = MediaType.get(part.contentType());
                RequestBody file = RequestBody.create(part.path().toFile(), type);
                builder.addFormDataPart(part.name(), part.filename(), file);
            }
            return builder.build();
        }

        @Override
        public void close() {
            client.dispatcher().executorService().shutdown();
            client.connectionPool().evictAll();
        }
    }
}
