package fetchoff;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** The content of a request. */
public sealed interface Body {
    /** Content that a client can be given as bytes. */
    sealed interface Content extends Body {
        String contentType();

        /** The bytes, made anew from fields and documents. */
        byte[] bytes();
    }

    record Form(List<Field> fields) implements Content {
        @Override
        public String contentType() {
            return "application/x-www-form-urlencoded";
        }

        @Override
        public byte[] bytes() {
            return fields.stream()
                    .map(field -> encode(field.name()) + "=" + encode(field.value()))
                    .collect(Collectors.joining("&"))
                    .getBytes(StandardCharsets.US_ASCII);
        }

        private static String encode(String text) {
            return URLEncoder.encode(text, StandardCharsets.UTF_8);
        }
    }

    record Json(JsonElement value) implements Content {
        @Override
        public String contentType() {
            return "application/json";
        }

        @Override
        public byte[] bytes() {
            return value.toString().getBytes(StandardCharsets.UTF_8);
        }
    }

    record Raw(String contentType, byte[] bytes) implements Content {}

    record Multipart(List<Field> fields, List<FilePart> files) implements Body {}

    /** The body of a message, or null; what is raw is read into memory. */
    static Body read(JsonElement message) {
        if (message.isJsonNull()) return null;
        JsonObject body = message.getAsJsonObject();
        String kind = fetchoff.Json.text(body, "kind");
        return switch (kind) {
            case "form" -> new Form(fields(body));
            case "json" -> new Json(fetchoff.Json.member(body, "value"));
            case "raw" -> new Raw(fetchoff.Json.text(body, "content_type"), load(body));
            case "multipart" ->
                    new Multipart(fields(body), fetchoff.Json.list(body, "files", FilePart::read));
            default -> throw new IllegalArgumentException("unknown kind of body: " + kind);
        };
    }

    private static List<Field> fields(JsonObject body) {
        return fetchoff.Json.list(body, "fields", Field::read);
    }

    private static byte[] load(JsonObject body) {
        try {
            return Files.readAllBytes(Path.of(fetchoff.Json.text(body, "path")));
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }
}
