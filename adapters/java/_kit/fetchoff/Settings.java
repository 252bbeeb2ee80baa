package fetchoff;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

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
        OptionalInt readSize,
        Optional<Path> directory,
        boolean cookies,
        boolean decompress,
        int redirects,
        Optional<Duration> connectTimeout,
        Optional<Duration> readTimeout,
        Optional<Duration> totalTimeout,
        Optional<Trust> trust,
        Optional<InetSocketAddress> proxy) {

    static Settings read(JsonNode message) {
        JsonNode timeouts = Json.member(message, "timeout_ms");
        JsonNode readSize = Json.member(message, "read_size");
        int concurrency = Json.member(message, "concurrency").asInt();
        if (concurrency < 1) throw new IllegalArgumentException("concurrency must be at least 1");
        return new Settings(
                Json.text(message, "protocol"),
                Json.member(message, "reuse").asBoolean(true),
                concurrency,
                Sink.valueOf(Json.text(message, "sink").toUpperCase()),
                readSize.isNull() ? OptionalInt.empty() : OptionalInt.of(readSize.asInt()),
                optionalText(message, "directory").map(Path::of),
                Json.member(message, "cookies").asBoolean(),
                Json.member(message, "decompress").asBoolean(),
                Json.member(message, "redirects").asInt(),
                duration(timeouts, "connect"),
                duration(timeouts, "read"),
                duration(timeouts, "total"),
                optionalText(message, "tls_ca").map(Path::of).map(Trust::in),
                optionalText(message, "proxy").map(URI::create).map(Settings::address));
    }

    private static Optional<String> optionalText(JsonNode object, String name) {
        return Optional.ofNullable(object.get(name))
                .filter(value -> !value.isNull())
                .map(JsonNode::asText);
    }

    private static Optional<Duration> duration(JsonNode timeouts, String name) {
        return Optional.of(Json.member(timeouts, name))
                .filter(value -> !value.isNull())
                .map(value -> Duration.ofMillis(value.asLong()));
    }

    private static InetSocketAddress address(URI proxy) {
        int port = proxy.getPort() == -1 ? 80 : proxy.getPort();
        return new InetSocketAddress(proxy.getHost(), port);
    }
}
