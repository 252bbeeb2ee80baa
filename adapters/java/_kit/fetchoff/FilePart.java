package fetchoff;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.nio.file.Path;

/** A part of a multipart body that is read from a file for every exchange. */
public record FilePart(String name, String filename, String contentType, Path path) {
    static FilePart read(JsonElement message) {
        JsonObject part = message.getAsJsonObject();
        return new FilePart(
                Json.text(part, "name"),
                Json.text(part, "filename"),
                Json.text(part, "content_type"),
                Path.of(Json.text(part, "path")));
    }
}
