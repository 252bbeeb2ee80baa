import fetchoff.BlockingClient;
import fetchoff.Body.Content;
import fetchoff.Client;
import fetchoff.Description;
import fetchoff.Exchange;
import fetchoff.Library;
import fetchoff.Settings;
import java.io.IOException;
import java.io.InputStream;
import java.net.CookieHandler;
import java.net.CookieManager;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.URL;
import java.time.Duration;
import javax.net.ssl.HttpsURLConnection;

/** HttpURLConnection: an object for each exchange; the connections below are the runtime's. */
public final class JdkHttpUrlConnection implements Library {
    private static final String FEATURES =
            """
            http/1.1 tls proxy method.get method.head method.post method.put
            body.form body.json body.raw headers connection.reuse connection.fresh
            sink.buffer sink.discard read-size cookies redirects timeout.connect timeout.read
            """;

    @Override
    public Description describe() {
        return new Description("httpurlconnection", Library.javaVersion(), "", FEATURES);
    }

    @Override
    public Client open(Settings settings) {
        // The only cookie store of this class is one for the whole process.
        CookieHandler.setDefault(settings.cookies() ? new CookieManager() : null);
        // Five idle connections are its default. It reads this once, when the first is to be kept.
        int idle = Math.max(5, settings.concurrency());
        System.setProperty("http.maxConnections", String.valueOf(idle));
        return new Session(settings);
    }

    private record Session(Settings settings) implements BlockingClient {
        @Override
        public long send(Exchange exchange) throws IOException {
            HttpURLConnection connection = open(new URL(exchange.url()));
            connection.setRequestMethod(exchange.method());
            for (var field : exchange.headers()) {
                connection.addRequestProperty(field.name(), field.value());
            }
            if (exchange.body() instanceof Content content) {
                connection.setRequestProperty("Content-Type", content.contentType());
                connection.setDoOutput(true);
                connection.getOutputStream().write(content.bytes());
            }
            int status = connection.getResponseCode();
            if (exchange.isStreamed()) return exchange.stream(status, body(connection, status));
            try (InputStream body = body(connection, status)) {
                return exchange.content(status, body == null ? new byte[0] : body.readAllBytes());
            }
        }

        private HttpURLConnection open(URL url) throws IOException {
            Proxy proxy =
                    settings.proxy()
                            .map(address -> new Proxy(Proxy.Type.HTTP, address))
                            .orElse(Proxy.NO_PROXY);
            HttpURLConnection connection = (HttpURLConnection) url.openConnection(proxy);
            connection.setInstanceFollowRedirects(settings.redirects() > 0);
            settings.connectTimeout().map(Session::ms).ifPresent(connection::setConnectTimeout);
            settings.readTimeout().map(Session::ms).ifPresent(connection::setReadTimeout);
            if (!settings.reuse()) connection.setRequestProperty("Connection", "close");
            if (connection instanceof HttpsURLConnection https && settings.trust().isPresent()) {
                https.setSSLSocketFactory(settings.trust().get().factory());
            }
            return connection;
        }

        private static int ms(Duration timeout) {
            return (int) timeout.toMillis();
        }

        private static InputStream body(HttpURLConnection connection, int status)
                throws IOException {
            return status < 400 ? connection.getInputStream() : connection.getErrorStream();
        }

        @Override
        public void close() {} // idle connections belong to the runtime
    }
}
