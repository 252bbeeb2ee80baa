package fetchoff;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.UncheckedIOException;

/** The documents of the sink "json": loaded, and Jackson with it, when the first one comes. */
final class Documents {
    private static final JsonMapper MAPPER =
            JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

    private Documents() {}

    static JsonNode parse(byte[] content) {
        try {
            return MAPPER.readTree(content);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }
}
