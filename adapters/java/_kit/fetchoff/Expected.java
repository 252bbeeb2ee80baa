package fetchoff;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;

/** What a response must be; a length of -1 is not checked, a member of null neither. */
record Expected(int status, long bytes, Field member) {
    static Expected read(JsonObject expect) {
        return new Expected(
                Json.member(expect, "status").getAsInt(),
                Json.optional(expect, "bytes").map(JsonElement::getAsLong).orElse(-1L),
                Json.optional(expect, "json").map(Field::read).orElse(null));
    }

    void check(int foundStatus, long length) {
        if (foundStatus != status) {
            throw new Unexpected("status " + foundStatus + " instead of " + status);
        }
        if (bytes >= 0 && length != bytes) {
            throw new Unexpected(length + " bytes of content instead of " + bytes);
        }
    }

    void check(JsonNode document) {
        if (member == null) return;
        JsonNode found = document.path(member.name());
        if (!found.isTextual() || !found.textValue().equals(member.value())) {
            throw new Unexpected(
                    "member " + member.name() + " is " + found + " instead of " + member.value());
        }
    }
}
