package fetchoff;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Jackson, and what the protocol's messages need of it. */
final class Json {
    static final JsonMapper MAPPER = new JsonMapper();

    private Json() {}

    /** A document as a tree; UncheckedIOException if it is none. */
    static JsonNode parse(byte[] content) {
        try {
            return MAPPER.readTree(content);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    static byte[] serialise(JsonNode value) {
        try {
            return MAPPER.writeValueAsBytes(value);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    /** A member that must be there. */
    static JsonNode member(JsonNode object, String name) {
        JsonNode value = object.get(name);
        if (value == null) throw new IllegalArgumentException("the message lacks '" + name + "'");
        return value;
    }

    static String text(JsonNode object, String name) {
        return member(object, name).asText();
    }

    static <T> List<T> list(JsonNode object, String name, Function<JsonNode, T> read) {
        List<T> items = new ArrayList<>();
        member(object, name).forEach(item -> items.add(read.apply(item)));
        return List.copyOf(items);
    }
}
