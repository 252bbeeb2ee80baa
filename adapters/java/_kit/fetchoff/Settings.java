package fetchoff;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/**
 * The settings of one `prepare`, as docs/protocol.md explains them.
 *
 * @param reuse true as well where it is left to the client: every client here can keep connections
 */
public record Settings(
        String protocol,
        boolean reuse,
        int concurrency,
        Sink sink,
        Optional<Integer> readSize,
        Optional<Path> directory,
        boolean cookies,
        boolean decompress,
        int redirects,
        Optional<Duration> connectTimeout,
        Optional<Duration> readTimeout,
        Optional<Duration> totalTimeout,
        Optional<Trust> trust,
        Optional<InetSocketAddress> proxy,
        JsonObject options) {

    static Settings read(JsonObject message) {
        JsonObject timeouts = Json.member(message, "timeout_ms").getAsJsonObject();
        int concurrency = Json.member(message, "concurrency").getAsInt();
        if (concurrency < 1) throw new IllegalArgumentException("concurrency must be at least 1");
        return new Settings(
                Json.text(message, "protocol"),
                Json.optional(message, "reuse").map(JsonElement::getAsBoolean).orElse(true),
                concurrency,
                Sink.valueOf(Json.text(message, "sink").toUpperCase(Locale.ROOT)),
                Json.optional(message, "read_size").map(JsonElement::getAsInt),
                text(message, "directory").map(Path::of),
                Json.member(message, "cookies").getAsBoolean(),
                Json.member(message, "decompress").getAsBoolean(),
                Json.member(message, "redirects").getAsInt(),
                duration(timeouts, "connect"),
                duration(timeouts, "read"),
                duration(timeouts, "total"),
                text(message, "tls_ca").map(Path::of).map(Trust::in),
                text(message, "proxy").map(URI::create).map(Settings::address),
                Json.member(message, "options").getAsJsonObject());
    }

    /** What the client's option of that name is to be, if it is not left to the client. */
    public Optional<Boolean> option(String name) {
        return Json.optional(options, name).map(JsonElement::getAsBoolean);
    }

    private static Optional<String> text(JsonObject object, String name) {
        return Json.optional(object, name).map(JsonElement::getAsString);
    }

    private static Optional<Duration> duration(JsonObject timeouts, String name) {
        return Json.optional(timeouts, name).map(JsonElement::getAsLong).map(Duration::ofMillis);
    }

    private static InetSocketAddress address(URI proxy) {
        int port = proxy.getPort() == -1 ? 80 : proxy.getPort();
        return new InetSocketAddress(proxy.getHost(), port);
    }
}
