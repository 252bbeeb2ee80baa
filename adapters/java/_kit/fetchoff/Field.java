package fetchoff;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;

/** A name and its value: of a header or of a form. */
public record Field(String name, String value) {
    static Field read(JsonElement pair) {
        JsonArray both = pair.getAsJsonArray();
        return new Field(both.get(0).getAsString(), both.get(1).getAsString());
    }
}
