import fetchoff.AsyncClient;
import fetchoff.Body;
import fetchoff.Client;
import fetchoff.Description;
import fetchoff.Exchange;
import fetchoff.Library;
import fetchoff.Receiver;
import fetchoff.Settings;
import io.netty.buffer.ByteBuf;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLException;
import javax.net.ssl.X509TrustManager;
import org.asynchttpclient.AsyncCompletionHandler;
import org.asynchttpclient.AsyncHttpClient;
import org.asynchttpclient.BoundRequestBuilder;
import org.asynchttpclient.DefaultAsyncHttpClientConfig;
import org.asynchttpclient.Dsl;
import org.asynchttpclient.HttpResponseBodyPart;
import org.asynchttpclient.Param;
import org.asynchttpclient.Response;
import org.asynchttpclient.proxy.ProxyServer;
import org.asynchttpclient.request.body.multipart.FilePart;
import org.asynchttpclient.request.body.multipart.StringPart;

/** AsyncHttpClient: one client for all exchanges. */
public final class AsyncHttpClientAdapter implements Library {
    private static final String FEATURES =
            """
            http/1.1 h2 tls proxy method.get method.head method.post method.put
            body.form body.json body.multipart body.raw headers connection.reuse connection.fresh
            sink.buffer sink.discard cookies decompression redirects
            timeout.connect timeout.read timeout.total
            """;

    private static final String WINDOW_BYTES = System.getenv("AHC_WINDOW_BYTES");

    @Override
    public Description describe() {
        String netty = Library.versionOf(ByteBuf.class);
        return new Description("async-http-client", version(), "Netty " + netty, FEATURES);
    }

    // Its manifest tells no version, and its own properties say "${pom.version}".
    private static String version() {
        String path = "/META-INF/maven/org.asynchttpclient/async-http-client/pom.properties";
        try (InputStream file = AsyncHttpClient.class.getResourceAsStream(path)) {
            Properties properties = new Properties();
            properties.load(file);
            return properties.getProperty("version");
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    @Override
    public Client open(Settings settings) throws SSLException {
        DefaultAsyncHttpClientConfig.Builder config =
                Dsl.config()
                        .setKeepAlive(settings.reuse())
                        .setHttp2Enabled(settings.protocol().equals("h2"))
                        .setFollowRedirect(settings.redirects() > 0)
                        .setMaxRedirects(settings.redirects())
                        .setCompressionEnforced(settings.decompress());
        if (WINDOW_BYTES != null) config.setHttp2InitialWindowSize(Integer.parseInt(WINDOW_BYTES));
        if (!settings.cookies()) config.setCookieStore(null);
        settings.connectTimeout().ifPresent(config::setConnectTimeout);
        settings.readTimeout().ifPresent(config::setReadTimeout);
        settings.totalTimeout().ifPresent(config::setRequestTimeout);
        settings.proxy()
                .map(at -> new ProxyServer.Builder(at.getHostString(), at.getPort()))
                .ifPresent(config::setProxyServer);
        if (settings.trust().isPresent()) {
            var manager = settings.trust().get().manager();
            config.setSslContext(contextOf(manager, settings.protocol()));
        }
        return new Session(Dsl.asyncHttpClient(config));
    }

    /** A context of one's own has to name the protocols that ALPN offers. */
    private static SslContext contextOf(X509TrustManager manager, String protocol)
            throws SSLException {
        return SslContextBuilder.forClient()
                .trustManager(manager)
                .applicationProtocolConfig(
                        new ApplicationProtocolConfig(
                                Protocol.ALPN,
                                SelectorFailureBehavior.NO_ADVERTISE,
                                SelectedListenerFailureBehavior.ACCEPT,
                                protocol))
                .build();
    }

    private record Session(AsyncHttpClient client) implements AsyncClient {
        @Override
        public CompletableFuture<Long> send(Exchange exchange) {
            BoundRequestBuilder request = client.prepare(exchange.method(), exchange.url());
            exchange.headers().forEach(field -> request.addHeader(field.name(), field.value()));
            if (exchange.body() != null) fill(request, exchange.body());
            if (exchange.isStreamed()) {
                return request.execute(new Streaming(exchange.receive())).toCompletableFuture();
            }
            return request.execute()
                    .toCompletableFuture()
                    .thenApply(response -> content(exchange, response));
        }

        private static long content(Exchange exchange, Response response) {
            return exchange.content(response.getStatusCode(), response.getResponseBodyAsBytes());
        }

        private static void fill(BoundRequestBuilder request, Body body) {
            if (body instanceof Body.Form form) {
                List<Param> parameters = new ArrayList<>();
                form.fields().forEach(it -> parameters.add(new Param(it.name(), it.value())));
                request.setFormParams(parameters);
            } else if (body instanceof Body.Multipart multipart) {
                fill(request, multipart);
            } else if (body instanceof Body.Content content) {
                request.setHeader("Content-Type", content.contentType()).setBody(content.bytes());
            }
        }

        private static void fill(BoundRequestBuilder request, Body.Multipart body) {
            for (var field : body.fields()) {
                request.addBodyPart(
                        new StringPart(field.name(), field.value(), null, StandardCharsets.UTF_8));
            }
            for (var part : body.files()) {
                var file = part.path().toFile();
                request.addBodyPart(
                        new FilePart(part.name(), file, part.contentType(), null, part.filename()));
            }
        }

        @Override
        public void close() throws IOException {
            client.close();
        }
    }

    private static final class Streaming extends AsyncCompletionHandler<Long> {
        private final Receiver receiver;

        Streaming(Receiver receiver) {
            this.receiver = receiver;
        }

        @Override
        public State onBodyPartReceived(HttpResponseBodyPart part) {
            receiver.write(part.getBodyPartBytes());
            return State.CONTINUE;
        }

        @Override
        public Long onCompleted(Response response) {
            return receiver.end(response.getStatusCode());
        }
    }
}
