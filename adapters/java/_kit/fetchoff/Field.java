package fetchoff;

import com.fasterxml.jackson.databind.JsonNode;

/** A name and its value: of a header or of a form. */
public record Field(String name, String value) {
    static Field read(JsonNode pair) {
        return new Field(pair.get(0).asText(), pair.get(1).asText());
    }
}
