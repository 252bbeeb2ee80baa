package fetchoff;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** What the protocol's messages need of Gson. */
final class Json {
    private Json() {}

    static JsonObject object(JsonElement element) {
        if (!element.isJsonObject()) throw new IllegalArgumentException("not a JSON object");
        return element.getAsJsonObject();
    }

    /** A member that must be there. */
    static JsonElement member(JsonObject object, String name) {
        JsonElement value = object.get(name);
        if (value == null) throw new IllegalArgumentException("the message lacks '" + name + "'");
        return value;
    }

    /** A member that may be null or absent. */
    static Optional<JsonElement> optional(JsonObject object, String name) {
        return Optional.ofNullable(object.get(name)).filter(value -> !value.isJsonNull());
    }

    static String text(JsonObject object, String name) {
        return member(object, name).getAsString();
    }

    static <T> List<T> list(JsonObject object, String name, Function<JsonElement, T> read) {
        List<T> items = new ArrayList<>();
        member(object, name).getAsJsonArray().forEach(item -> items.add(read.apply(item)));
        return List.copyOf(items);
    }
}
