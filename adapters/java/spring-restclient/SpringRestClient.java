import fetchoff.BlockingClient;
import fetchoff.Body;
import fetchoff.Client;
import fetchoff.Description;
import fetchoff.Exchange;
import fetchoff.FilePart;
import fetchoff.JdkHttpClients;
import fetchoff.Library;
import fetchoff.Settings;
import fetchoff.Unsupported;
import java.io.IOException;
import java.net.CookieManager;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import org.springframework.core.io.FileSystemResource;
import org.springframework.http.HttpEntity;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.util.LinkedMultiValueMap;
import org.springframework.util.MultiValueMap;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClient.RequestHeadersSpec.ConvertibleClientHttpResponse;

/** Spring: one RestClient for all exchanges. */
public final class SpringRestClient implements Library {
    private static final String FEATURES =
            """
            http/1.1 h2 tls proxy method.get method.head method.post method.put
            body.form body.json body.multipart body.raw headers connection.reuse connection.fresh
            sink.buffer sink.discard read-size cookies redirects timeout.connect timeout.total
            """;

    static {
        // Documented in java.net.http; without it no request may say "Connection: close".
        System.setProperty("jdk.httpclient.allowRestrictedHeaders", "connection");
    }

    @Override
    public Description describe() {
        String version = Library.versionOf(RestClient.class);
        String engine = "java.net.http " + Library.javaVersion();
        return new Description("spring-restclient", version, engine, FEATURES);
    }

    @Override
    public Client open(Settings settings) throws Unsupported {
        boolean h2 = settings.protocol().equals("h2");
        if (h2 && !settings.reuse()) throw new Unsupported("connection.fresh");
        HttpClient.Builder engine =
                HttpClient.newBuilder()
                        .version(h2 ? HttpClient.Version.HTTP_2 : HttpClient.Version.HTTP_1_1);
        if (settings.redirects() > 0) engine.followRedirects(HttpClient.Redirect.NORMAL);
        if (settings.cookies()) engine.cookieHandler(new CookieManager());
        settings.connectTimeout().ifPresent(engine::connectTimeout);
        settings.trust().ifPresent(trust -> engine.sslContext(trust.context()));
        settings.proxy().ifPresent(address -> engine.proxy(ProxySelector.of(address)));
        HttpClient jdkClient = engine.build();
        var factory = new JdkClientHttpRequestFactory(jdkClient);
        settings.totalTimeout().ifPresent(factory::setReadTimeout);
        RestClient.Builder client = RestClient.builder().requestFactory(factory);
        if (!settings.reuse()) client.defaultHeader(HttpHeaders.CONNECTION, "close");
        return new Session(client.build(), jdkClient);
    }

    private record Session(RestClient client, HttpClient engine) implements BlockingClient {
        @Override
        public long send(Exchange exchange) {
            RestClient.RequestBodySpec request =
                    client.method(HttpMethod.valueOf(exchange.method()))
                            .uri(URI.create(exchange.url()));
            exchange.headers().forEach(field -> request.header(field.name(), field.value()));
            if (exchange.body() != null) fill(request, exchange.body());
            return request.exchange((sent, response) -> receive(exchange, response));
        }

        private static long receive(Exchange exchange, ConvertibleClientHttpResponse response)
                throws IOException {
            int status = response.getStatusCode().value();
            if (exchange.isStreamed()) return exchange.stream(status, response.getBody());
            byte[] content = response.bodyTo(byte[].class);
            return exchange.content(status, content == null ? new byte[0] : content);
        }

        private static void fill(RestClient.RequestBodySpec request, Body body) {
            if (body instanceof Body.Form form) {
                MultiValueMap<String, String> fields = new LinkedMultiValueMap<>();
                form.fields().forEach(field -> fields.add(field.name(), field.value()));
                request.contentType(MediaType.APPLICATION_FORM_URLENCODED).body(fields);
            } else if (body instanceof Body.Multipart multipart) {
                request.contentType(MediaType.MULTIPART_FORM_DATA).body(parts(multipart));
            } else if (body instanceof Body.Content content) {
                MediaType type = MediaType.parseMediaType(content.contentType());
                request.contentType(type).body(content.bytes());
            }
        }

        private static MultiValueMap<String, Object> parts(Body.Multipart body) {
            MultiValueMap<String, Object> parts = new LinkedMultiValueMap<>();
            body.fields().forEach(field -> parts.add(field.name(), field.value()));
            for (var part : body.files()) {
                HttpHeaders headers = new HttpHeaders();
                headers.setContentType(MediaType.parseMediaType(part.contentType()));
                parts.add(part.name(), new HttpEntity<>(new Upload(part), headers));
            }
            return parts;
        }

        @Override
        public void close() throws Exception {
            JdkHttpClients.close(engine);
        }
    }

    /** A file under the name that its receiver is told. */
    private static final class Upload extends FileSystemResource {
        private final String filename;

        Upload(FilePart part) {
            super(part.path());
            filename = part.filename();
        }

        @Override
        public String getFilename() {
            return filename;
        }
    }
}
