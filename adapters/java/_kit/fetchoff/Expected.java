package fetchoff;

import com.fasterxml.jackson.databind.JsonNode;

/** What a response must be; a length of -1 is not checked, a member of null neither. */
record Expected(int status, long bytes, Field member) {
    static Expected read(JsonNode expect) {
        JsonNode bytes = Json.member(expect, "bytes");
        JsonNode member = Json.member(expect, "json");
        return new Expected(
                Json.member(expect, "status").asInt(),
                bytes.isNull() ? -1 : bytes.asLong(),
                member.isNull() ? null : Field.read(member));
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
        JsonNode found = document.get(member.name());
        if (found == null || !found.isTextual() || !found.textValue().equals(member.value())) {
            throw new Unexpected(
                    "member " + member.name() + " is " + found + " instead of " + member.value());
        }
    }
}
