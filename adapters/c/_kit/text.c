/* Buffers, errors, and texts as HTTP and JSON want them. */
#include "internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *fo_room(struct fo_buffer *buffer, size_t more)
{
    size_t needed = buffer->size + more;
    if (needed > buffer->room) {
        size_t doubled = 2 * buffer->room;
        buffer->room = needed > doubled ? needed : doubled;
        buffer->data = realloc(buffer->data, buffer->room);
        if (!buffer->data) {
            fprintf(stderr, "no memory for %zu bytes\n", buffer->room);
            exit(EXIT_FAILURE);
        }
    }
    return buffer->data + buffer->size;
}

void fo_append(struct fo_buffer *buffer, const void *data, size_t size)
{
    if (size) {
        memcpy(fo_room(buffer, size), data, size);
        buffer->size += size;
    }
}

void fo_print(struct fo_buffer *buffer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    size_t size = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    va_start(arguments, format);
    vsnprintf(fo_room(buffer, size + 1), size + 1, format, arguments);
    va_end(arguments);
    buffer->size += size;
}

void fo_free(struct fo_buffer *buffer)
{
    free(buffer->data);
    *buffer = (struct fo_buffer){0};
}

void fo_fail(struct fo_error *error, const char *format, ...)
{
    if (error->text[0])
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
}

static void print_escaped(struct fo_buffer *out, const char *text, const char *blank)
{
    static const char unreserved[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                     "0123456789-._";
    for (; *text; text++)
        if (*text == ' ')
            fo_print(out, "%s", blank);
        else if (strchr(unreserved, *text))
            fo_append(out, text, 1);
        else
            fo_print(out, "%%%02X", (unsigned char)*text);
}

void fo_print_escaped(struct fo_buffer *out, const char *text)
{
    print_escaped(out, text, "%20");
}

/* https://url.spec.whatwg.org/#application/x-www-form-urlencoded */
static void print_form(struct fo_buffer *out, const struct fo_body *body)
{
    for (size_t i = 0; i < body->field_count; i++) {
        fo_append(out, "&", i > 0);
        print_escaped(out, body->fields[i].name, "+");
        fo_append(out, "=", 1);
        print_escaped(out, body->fields[i].value, "+");
    }
}

static int append_json(const char *data, size_t size, void *out)
{
    fo_append(out, data, size);
    return 0;
}

void fo_print_body(struct fo_buffer *out, const struct fo_body *body)
{
    if (body->kind == FO_FORM)
        print_form(out, body);
    else if (body->kind == FO_JSON)
        json_dump_callback(body->json, append_json, out, JSON_COMPACT | JSON_ENCODE_ANY);
    else
        fo_append(out, body->file.data, body->file.size);
}

const struct fo_buffer *fo_body_content(const struct fo_body *body, struct fo_buffer *room)
{
    if (body->kind == FO_RAW)
        return &body->file;
    fo_print_body(room, body);
    return room;
}

json_t *fo_text(const char *text)
{
    json_t *json = json_string(text);
    if (json)
        return json;
    char *ascii = strdup(text);
    for (char *byte = ascii; *byte; byte++)
        if ((unsigned char)*byte >= 0x80)
            *byte = '?';
    json = json_string(ascii);
    free(ascii);
    return json;
}

json_t *fo_error_answer(const struct fo_error *error)
{
    return json_pack("{s:o}", "error", fo_text(error->text));
}
