import fetchoff.BlockingClient;
import fetchoff.Body;
import fetchoff.Client;
import fetchoff.Description;
import fetchoff.Exchange;
import fetchoff.Library;
import fetchoff.Settings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.entity.UrlEncodedFormEntity;
import org.apache.hc.client5.http.entity.mime.MultipartEntityBuilder;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.client5.http.io.HttpClientConnectionManager;
import org.apache.hc.client5.http.ssl.DefaultClientTlsStrategy;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.NameValuePair;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.http.io.support.ClassicRequestBuilder;
import org.apache.hc.core5.http.message.BasicNameValuePair;
import org.apache.hc.core5.util.Timeout;

/** Apache HttpClient 5: one CloseableHttpClient for all exchanges. */
public final class ApacheHttpClient5 implements Library {
    private static final String FEATURES =
            """
            http/1.1 tls proxy method.get method.head method.post method.put
            body.form body.json body.multipart body.raw headers connection.reuse connection.fresh
            sink.buffer sink.discard read-size cookies decompression coding.deflate redirects
            timeout.connect timeout.read
            """;

    @Override
    public Description describe() {
        String version = Library.versionOf(CloseableHttpClient.class);
        return new Description("apache-httpclient5", version, "", FEATURES);
    }

    @Override
    public Client open(Settings settings) {
        HttpClientBuilder builder =
                HttpClients.custom()
                        .setConnectionManager(connections(settings))
                        .setDefaultRequestConfig(
                                RequestConfig.custom()
                                        .setMaxRedirects(settings.redirects())
                                        .build());
        if (!settings.reuse()) {
            builder.setConnectionReuseStrategy((request, response, context) -> false);
        }
        if (!settings.cookies()) builder.disableCookieManagement();
        if (!settings.decompress()) builder.disableContentCompression();
        if (settings.redirects() == 0) builder.disableRedirectHandling();
        settings.proxy()
                .map(at -> new HttpHost("http", at.getHostString(), at.getPort()))
                .ifPresent(builder::setProxy);
        return new Session(builder.build());
    }

    private static HttpClientConnectionManager connections(Settings settings) {
        ConnectionConfig.Builder timeouts = ConnectionConfig.custom();
        settings.connectTimeout().map(Timeout::of).ifPresent(timeouts::setConnectTimeout);
        settings.readTimeout().map(Timeout::of).ifPresent(timeouts::setSocketTimeout);
        PoolingHttpClientConnectionManagerBuilder builder =
                PoolingHttpClientConnectionManagerBuilder.create()
                        .setDefaultConnectionConfig(timeouts.build())
                        .setMaxConnTotal(settings.concurrency())
                        .setMaxConnPerRoute(settings.concurrency());
        settings.trust()
                .map(trust -> new DefaultClientTlsStrategy(trust.context()))
                .ifPresent(builder::setTlsSocketStrategy);
        return builder.build();
    }

    private record Session(CloseableHttpClient client) implements BlockingClient {
        @Override
        public long send(Exchange exchange) throws IOException {
            ClassicRequestBuilder builder =
                    ClassicRequestBuilder.create(exchange.method())
                            .setUri(exchange.url())
                            .setEntity(entity(exchange.body()));
            exchange.headers().forEach(field -> builder.addHeader(field.name(), field.value()));
            ClassicHttpRequest request = builder.build();
            return client.execute(request, response -> receive(exchange, response));
        }

        private static long receive(Exchange exchange, ClassicHttpResponse response)
                throws IOException {
            HttpEntity entity = response.getEntity();
            if (exchange.isStreamed()) {
                return exchange.stream(
                        response.getCode(), entity == null ? null : entity.getContent());
            }
            return exchange.content(
                    response.getCode(),
                    entity == null ? new byte[0] : EntityUtils.toByteArray(entity));
        }

        private static HttpEntity entity(Body body) {
            if (body instanceof Body.Form form) {
                List<NameValuePair> pairs = new ArrayList<>();
                for (var field : form.fields()) {
                    pairs.add(new BasicNameValuePair(field.name(), field.value()));
                }
                return new UrlEncodedFormEntity(pairs, StandardCharsets.UTF_8);
            }
            if (body instanceof Body.Multipart multipart) return multipart(multipart);
            if (body instanceof Body.Content content) {
                ContentType type = ContentType.parse(content.contentType());
                return new ByteArrayEntity(content.bytes(), type);
            }
            return null;
        }

        private static HttpEntity multipart(Body.Multipart body) {
            MultipartEntityBuilder builder = MultipartEntityBuilder.create();
            ContentType text = ContentType.TEXT_PLAIN.withCharset(StandardCharsets.UTF_8);
            body.fields().forEach(field -> builder.addTextBody(field.name(), field.value(), text));
            for (var part : body.files()) {
                ContentType type = ContentType.parse(part.contentType());
                builder.addBinaryBody(part.name(), part.path().toFile(), type, part.filename());
            }
            return builder.build();
        }

        @Override
        public void close() throws IOException {
            client.close();
        }
    }
}
