import fetchoff.BlockingClient;
import fetchoff.Body;
import fetchoff.Client;
import fetchoff.Description;
import fetchoff.Exchange;
import fetchoff.Library;
import fetchoff.Settings;
import fetchoff.Unsupported;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.client.BytesRequestContent;
import org.eclipse.jetty.client.CompletableResponseListener;
import org.eclipse.jetty.client.ContentResponse;
import org.eclipse.jetty.client.FormRequestContent;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.HttpClientTransport;
import org.eclipse.jetty.client.HttpProxy;
import org.eclipse.jetty.client.InputStreamResponseListener;
import org.eclipse.jetty.client.MultiPartRequestContent;
import org.eclipse.jetty.client.Origin;
import org.eclipse.jetty.client.PathRequestContent;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.client.StringRequestContent;
import org.eclipse.jetty.client.transport.HttpClientTransportOverHTTP;
import org.eclipse.jetty.http.HttpCookieStore;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpHeaderValue;
import org.eclipse.jetty.http.MultiPart.ContentSourcePart;
import org.eclipse.jetty.http2.client.HTTP2Client;
import org.eclipse.jetty.http2.client.transport.HttpClientTransportOverHTTP2;
import org.eclipse.jetty.io.ClientConnector;
import org.eclipse.jetty.util.Fields;
import org.eclipse.jetty.util.Jetty;
import org.eclipse.jetty.util.ssl.SslContextFactory;

/**
 * Jetty's client: one HttpClient for all exchanges. It is longer than most, because every kind of
 * content and each protocol has a class of its own.
 */
public final class JettyClient implements Library {
    private static final String FEATURES =
            """
            http/1.1 h2 h2c tls proxy method.get method.head method.post method.put
            body.form body.json body.multipart body.raw headers connection.reuse connection.fresh
            sink.buffer sink.discard read-size cookies decompression redirects
            timeout.connect timeout.read timeout.total
            """;

    private static final HttpFields NO_FIELDS = HttpFields.EMPTY;

    // A buffer of 2 MiB is the default.
    private static final int MOST_BUFFERED = Integer.MAX_VALUE - 8;

    @Override
    public Description describe() {
        return new Description("jetty-client", Jetty.VERSION, "", FEATURES);
    }

    @Override
    public Client open(Settings settings) throws Exception {
        // "Connection: close" is a matter of HTTP/1.1.
        if (isHttp2(settings) && !settings.reuse()) throw new Unsupported("connection.fresh");
        // It would speak HTTP/2 to the proxy as well.
        if (isHttp2(settings) && settings.proxy().isPresent()) throw new Unsupported("proxy");
        HttpClient client = new HttpClient(transport(settings));
        // 64 is the default.
        client.setMaxConnectionsPerDestination(Math.max(64, settings.concurrency()));
        client.setFollowRedirects(settings.redirects() > 0);
        client.setMaxRedirects(settings.redirects());
        if (!settings.cookies()) client.setHttpCookieStore(new HttpCookieStore.Empty());
        settings.connectTimeout().map(Duration::toMillis).ifPresent(client::setConnectTimeout);
        settings.readTimeout().map(Duration::toMillis).ifPresent(client::setIdleTimeout);
        settings.proxy()
                .map(EveryRequest::new)
                .ifPresent(client.getProxyConfiguration()::addProxy);
        client.start();
        if (!settings.decompress()) client.getContentDecoderFactories().clear();
        return new Session(client, settings.reuse(), settings.totalTimeout());
    }

    private static HttpClientTransport transport(Settings settings) {
        ClientConnector connector = new ClientConnector();
        SslContextFactory.Client tls = new SslContextFactory.Client();
        settings.trust().ifPresent(trust -> tls.setSslContext(trust.context()));
        connector.setSslContextFactory(tls);
        return isHttp2(settings)
                ? new HttpClientTransportOverHTTP2(new HTTP2Client(connector))
                : new HttpClientTransportOverHTTP(connector);
    }

    private static boolean isHttp2(Settings settings) {
        return settings.protocol().startsWith("h2");
    }

    /** It is not asked for what is at its own address, where Fetchoff's origin plays a proxy. */
    private static final class EveryRequest extends HttpProxy {
        EveryRequest(InetSocketAddress at) {
            super(at.getHostString(), at.getPort());
        }

        @Override
        public boolean matches(Origin origin) {
            return true;
        }
    }

    private record Session(HttpClient client, boolean reuse, Optional<Duration> timeout)
            implements BlockingClient {
        @Override
        public long send(Exchange exchange) throws Exception {
            Request request = request(exchange);
            if (exchange.isStreamed()) return stream(exchange, request);
            ContentResponse response =
                    new CompletableResponseListener(request, MOST_BUFFERED).send().get();
            return exchange.content(response.getStatus(), response.getContent());
        }

        private static long stream(Exchange exchange, Request request) throws Exception {
            InputStreamResponseListener listener = new InputStreamResponseListener();
            request.send(listener);
            // The request's own timeouts end the wait.
            Response response = listener.get(Long.MAX_VALUE, TimeUnit.NANOSECONDS);
            return exchange.stream(response.getStatus(), listener.getInputStream());
        }

        private Request request(Exchange exchange) throws IOException {
            Request request =
                    client.newRequest(exchange.url())
                            .method(exchange.method())
                            .body(content(exchange.body()));
            for (var field : exchange.headers()) {
                request.headers(fields -> fields.add(field.name(), field.value()));
            }
            if (!reuse) {
                request.headers(it -> it.put(HttpHeader.CONNECTION, HttpHeaderValue.CLOSE));
            }
            timeout.ifPresent(it -> request.timeout(it.toMillis(), TimeUnit.MILLISECONDS));
            return request;
        }

        private static Request.Content content(Body body) throws IOException {
            if (body instanceof Body.Form form) {
                Fields fields = new Fields();
                form.fields().forEach(field -> fields.add(field.name(), field.value()));
                return new FormRequestContent(fields);
            }
            if (body instanceof Body.Multipart multipart) return multipart(multipart);
            if (body instanceof Body.Content content) {
                return new BytesRequestContent(content.contentType(), content.bytes());
            }
            return null;
        }

        private static Request.Content multipart(Body.Multipart body) throws IOException {
            MultiPartRequestContent content = new MultiPartRequestContent();
            for (var field : body.fields()) {
                var text = new StringRequestContent(field.value());
                content.addPart(new ContentSourcePart(field.name(), null, NO_FIELDS, text));
            }
            for (var part : body.files()) {
                var file = new PathRequestContent(part.contentType(), part.path());
                content.addPart(
                        new ContentSourcePart(part.name(), part.filename(), NO_FIELDS, file));
            }
            content.close();
            return content;
        }

        @Override
        public void close() throws Exception {
            client.stop();
        }
    }
}
