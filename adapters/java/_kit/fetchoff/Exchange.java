package fetchoff;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;

/** One request, and what becomes of its response. Every worker has exchanges of its own. */
public final class Exchange {
    private final String method;
    private final String url;
    private final List<Field> headers;
    private final Body body;
    private final Expected expected;
    private final Settings settings;
    private final Path file;
    private Digest digest = Digest.NONE;
    private long parseNs;

    /**
     * @param message an exchange of `prepare`
     * @param body read from the same message; shared by the workers
     * @param file where the content goes if the sink is a file
     */
    Exchange(JsonObject message, Body body, Settings settings, Path file) {
        this.method = Json.text(message, "method");
        this.url = Json.text(message, "url");
        this.headers = Json.list(message, "headers", Field::read);
        this.body = body;
        this.expected = Expected.read(Json.member(message, "expect").getAsJsonObject());
        this.settings = settings;
        this.file = file;
    }

    public String method() {
        return method;
    }

    public String url() {
        return url;
    }

    public List<Field> headers() {
        return headers;
    }

    /** The content of the request, or null. */
    public Body body() {
        return body;
    }

    /** Whether the response is to be given to {@link #stream} or {@link #receive}. */
    public boolean isStreamed() {
        return settings.sink().isStreamed();
    }

    /** Takes the whole content; its length, if the response is the expected one. */
    public long content(int status, byte[] content) {
        digest.take(content);
        expected.check(status, content.length);
        if (settings.sink() == Sink.JSON) expected.check(parse(content));
        return content.length;
    }

    private JsonNode parse(byte[] content) {
        long start = System.nanoTime();
        try {
            return Documents.parse(content);
        } finally {
            parseNs += System.nanoTime() - start;
        }
    }

    /** Reads content (null: there is none) to its end and closes it; its length, if as expected. */
    public long stream(int status, InputStream content) throws IOException {
        try (content; Receiver receiver = receive()) {
            if (content != null) read(content, receiver);
            return receiver.end(status);
        }
    }

    /** Takes the content of a client that pushes it. */
    public Receiver receive() {
        return new Receiver(settings.sink() == Sink.FILE ? file : null, digest, expected);
    }

    private void read(InputStream content, Receiver receiver) throws IOException {
        if (settings.readSize().isEmpty()) {
            content.transferTo(receiver);
            return;
        }
        byte[] chunk = new byte[settings.readSize().get()];
        for (int length = content.read(chunk); length >= 0; length = content.read(chunk)) {
            receiver.write(chunk, 0, length);
        }
    }

    void digest(Digest wanted) {
        digest = wanted;
    }

    /** The time that parsing took since this was asked last. */
    long takeParseNs() {
        long taken = parseNs;
        parseNs = 0;
        return taken;
    }

    String sha256() {
        return digest.hex();
    }
}
