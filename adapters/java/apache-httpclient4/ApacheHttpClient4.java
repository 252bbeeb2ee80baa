import fetchoff.BlockingClient;
import fetchoff.Body;
import fetchoff.Client;
import fetchoff.Description;
import fetchoff.Exchange;
import fetchoff.Library;
import fetchoff.Settings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.http.HttpEntity;
import org.apache.http.HttpHost;
import org.apache.http.HttpResponse;
import org.apache.http.NameValuePair;
import org.apache.http.client.config.RequestConfig;
import org.apache.http.client.entity.UrlEncodedFormEntity;
import org.apache.http.client.methods.RequestBuilder;
import org.apache.http.entity.ByteArrayEntity;
import org.apache.http.entity.ContentType;
import org.apache.http.entity.mime.MultipartEntityBuilder;
import org.apache.http.impl.NoConnectionReuseStrategy;
import org.apache.http.impl.client.CloseableHttpClient;
import org.apache.http.impl.client.HttpClientBuilder;
import org.apache.http.impl.client.HttpClients;
import org.apache.http.message.BasicNameValuePair;
import org.apache.http.util.EntityUtils;
import org.apache.http.util.VersionInfo;

/** Apache HttpClient 4.5: one CloseableHttpClient for all exchanges. */
public final class ApacheHttpClient4 implements Library {
    private static final String FEATURES =
            """
            http/1.1 tls proxy method.get method.head method.post method.put
            body.form body.json body.multipart body.raw headers connection.reuse connection.fresh
            sink.buffer sink.discard read-size cookies decompression coding.deflate redirects
            timeout.connect timeout.read
            """;

    @Override
    public Description describe() {
        ClassLoader loader = CloseableHttpClient.class.getClassLoader();
        VersionInfo version = VersionInfo.loadVersionInfo("org.apache.http.client", loader);
        return new Description("apache-httpclient4", version.getRelease(), "", FEATURES);
    }

    @Override
    public Client open(Settings settings) {
        HttpClientBuilder builder =
                HttpClients.custom()
                        .setDefaultRequestConfig(requestConfig(settings))
                        .setMaxConnTotal(settings.concurrency())
                        .setMaxConnPerRoute(settings.concurrency());
        if (!settings.reuse()) {
            builder.setConnectionReuseStrategy(NoConnectionReuseStrategy.INSTANCE);
        }
        if (!settings.cookies()) builder.disableCookieManagement();
        if (!settings.decompress()) builder.disableContentCompression();
        if (settings.redirects() == 0) builder.disableRedirectHandling();
        settings.trust().ifPresent(trust -> builder.setSSLContext(trust.context()));
        settings.proxy()
                .map(at -> new HttpHost(at.getHostString(), at.getPort()))
                .ifPresent(builder::setProxy);
        return new Session(builder.build());
    }

    private static RequestConfig requestConfig(Settings settings) {
        RequestConfig.Builder builder = RequestConfig.custom();
        if (settings.redirects() > 0) builder.setMaxRedirects(settings.redirects());
        settings.connectTimeout()
                .map(Duration::toMillis)
                .map(Math::toIntExact)
                .ifPresent(builder::setConnectTimeout);
        settings.readTimeout()
                .map(Duration::toMillis)
                .map(Math::toIntExact)
                .ifPresent(builder::setSocketTimeout);
        return builder.build();
    }

    private record Session(CloseableHttpClient client) implements BlockingClient {
        @Override
        public long send(Exchange exchange) throws IOException {
            RequestBuilder builder =
                    RequestBuilder.create(exchange.method())
                            .setUri(exchange.url())
                            .setEntity(entity(exchange.body()));
            exchange.headers().forEach(field -> builder.addHeader(field.name(), field.value()));
            return client.execute(builder.build(), response -> receive(exchange, response));
        }

        private static long receive(Exchange exchange, HttpResponse response) throws IOException {
            int status = response.getStatusLine().getStatusCode();
            HttpEntity entity = response.getEntity();
            if (exchange.isStreamed()) {
                return exchange.stream(status, entity == null ? null : entity.getContent());
            }
            return exchange.content(
                    status, entity == null ? new byte[0] : EntityUtils.toByteArray(entity));
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
