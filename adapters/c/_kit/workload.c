/* From a "prepare" message to exchanges and settings. */
#include "internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Like json_unpack, with its complaint as the error. */
#define READ(error, json, ...)                                                                     \
    do {                                                                                           \
        json_error_t complaint;                                                                    \
        if (json_unpack_ex(json, &complaint, 0, __VA_ARGS__) < 0)                                  \
            fo_fail(error, "prepare: %s", complaint.text);                                         \
    } while (0)

/* calloc that does not fail and gives something to free even for a count of 0. */
static void *many(size_t count, size_t size)
{
    void *items = calloc(count + 1, size);
    if (!items)
        abort();
    return items;
}

static char *line(const char *name, const char *value)
{
    char *text;
    if (asprintf(&text, "%s: %s", name, value) < 0)
        abort();
    return text;
}

static void read_headers(struct fo_exchange *exchange, json_t *list, struct fo_error *error)
{
    exchange->fields = many(json_array_size(list), sizeof *exchange->fields);
    exchange->headers = many(json_array_size(list), sizeof *exchange->headers);
    size_t i;
    json_t *pair;
    json_array_foreach (list, i, pair) {
        struct fo_field *field = &exchange->fields[i];
        READ(error, pair, "[s,s]", &field->name, &field->value);
        if (error->text[0])
            return;
        exchange->headers[i] = line(field->name, field->value);
        exchange->header_count++;
    }
}

static void read_fields(struct fo_body *body, json_t *list, struct fo_error *error)
{
    body->field_count = json_array_size(list);
    body->fields = many(body->field_count, sizeof *body->fields);
    size_t i;
    json_t *pair;
    json_array_foreach (list, i, pair)
        READ(error, pair, "[s,s]", &body->fields[i].name, &body->fields[i].value);
}

static void read_files(struct fo_body *body, json_t *list, struct fo_error *error)
{
    body->file_count = json_array_size(list);
    body->files = many(body->file_count, sizeof *body->files);
    size_t i;
    json_t *item;
    json_array_foreach (list, i, item) {
        struct fo_file *file = &body->files[i];
        READ(error, item, "{s:s, s:s, s:s, s:s}", "name", &file->name, "filename", &file->filename,
             "content_type", &file->content_type, "path", &file->path);
    }
}

static void read_body(struct fo_body *body, json_t *json, struct fo_error *error)
{
    if (json_is_null(json))
        return;
    const char *kind = "";
    READ(error, json, "{s:s}", "kind", &kind);
    if (strcmp(kind, "form") == 0) {
        body->kind = FO_FORM;
        body->content_type = "application/x-www-form-urlencoded";
        read_fields(body, json_object_get(json, "fields"), error);
    } else if (strcmp(kind, "json") == 0) {
        body->kind = FO_JSON;
        body->content_type = "application/json";
        READ(error, json, "{s:o}", "value", &body->json);
    } else if (strcmp(kind, "multipart") == 0) {
        body->kind = FO_MULTIPART;
        read_fields(body, json_object_get(json, "fields"), error);
        read_files(body, json_object_get(json, "files"), error);
    } else if (strcmp(kind, "raw") == 0) {
        body->kind = FO_RAW;
        READ(error, json, "{s:s, s:s}", "content_type", &body->content_type, "path", &body->path);
    } else {
        fo_fail(error, "prepare: there is no body of the kind \"%s\"", kind);
    }
    if (body->content_type)
        body->header = line("Content-Type", body->content_type);
}

static void read_exchange(struct fo_exchange *exchange, json_t *json, struct fo_error *error)
{
    json_t *headers = NULL, *body = NULL, *bytes = NULL, *member = NULL;
    READ(error, json, "{s:s, s:s, s:o, s:o, s:{s:i, s:o, s:o}}", "method", &exchange->method, "url",
         &exchange->url, "headers", &headers, "body", &body, "expect", "status",
         &exchange->expect.status, "bytes", &bytes, "json", &member);
    if (error->text[0])
        return;
    exchange->expect.bytes = json_is_integer(bytes) ? json_integer_value(bytes) : -1;
    if (!json_is_null(member))
        READ(error, member, "[s,s]", &exchange->expect.json_name, &exchange->expect.json_value);
    read_headers(exchange, headers, error);
    read_body(&exchange->body, body, error);
}

static enum fo_sink sink_named(const char *name, struct fo_error *error)
{
    static const char *const names[] = {"buffer", "json", "discard", "file"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return (enum fo_sink)i;
    fo_fail(error, "prepare: there is no sink \"%s\"", name);
    return FO_BUFFER;
}

static enum fo_protocol protocol_named(const char *name, struct fo_error *error)
{
    static const char *const names[] = {"http/1.1", "h2", "h2c"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return (enum fo_protocol)i;
    fo_fail(error, "prepare: there is no protocol \"%s\"", name);
    return FO_HTTP_1_1;
}

static void read_settings(struct fo_settings *settings, json_t *json, struct fo_error *error)
{
    json_t *reuse = NULL, *read_size = NULL, *directory = NULL, *timeouts = NULL, *tls_ca = NULL,
           *proxy = NULL;
    const char *sink = "buffer", *protocol = "http/1.1";
    int redirects = 0, cookies = 0, decompress = 0, concurrency = 1;
    READ(error, json, "{s:s, s:o, s:i, s:s, s:o, s:o, s:b, s:b, s:i, s:o, s:o, s?o, s:o}",
         "protocol", &protocol, "reuse", &reuse, "concurrency", &concurrency, "sink", &sink,
         "read_size", &read_size, "directory", &directory, "cookies", &cookies, "decompress",
         &decompress, "redirects", &redirects, "timeout_ms", &timeouts, "tls_ca", &tls_ca, "proxy",
         &proxy, "options", &settings->options);
    settings->protocol = protocol_named(protocol, error);
    settings->reuse = json_is_null(reuse) ? FO_EITHER : json_is_true(reuse) ? FO_REUSE : FO_FRESH;
    settings->concurrency = concurrency;
    settings->sink = sink_named(sink, error);
    settings->read_size = json_integer_value(read_size);
    settings->directory = json_string_value(directory);
    settings->cookies = cookies;
    settings->decompress = decompress;
    settings->redirects = redirects;
    settings->connect_ms = json_integer_value(json_object_get(timeouts, "connect"));
    settings->read_ms = json_integer_value(json_object_get(timeouts, "read"));
    settings->total_ms = json_integer_value(json_object_get(timeouts, "total"));
    settings->tls_ca = json_string_value(tls_ca);
    settings->proxy = json_string_value(proxy);
    if (concurrency < 1)
        fo_fail(error, "prepare: %d is not a concurrency", concurrency);
    if (settings->sink == FO_PARSE)
        fo_documents_load(error);
    if (settings->sink == FO_FILE && !settings->directory)
        fo_fail(error, "prepare: the sink \"file\" needs a directory");
}

void fo_workload_read(struct fo_workload *workload, json_t *message, struct fo_error *error)
{
    json_t *exchanges = NULL, *settings = NULL;
    workload->document = json_incref(message);
    READ(error, message, "{s:o, s:o}", "exchanges", &exchanges, "settings", &settings);
    if (error->text[0])
        return;
    read_settings(&workload->settings, settings, error);
    workload->exchanges = many(json_array_size(exchanges), sizeof *workload->exchanges);
    size_t i;
    json_t *item;
    json_array_foreach (exchanges, i, item) {
        workload->count++;
        read_exchange(&workload->exchanges[i], item, error);
    }
    if (!workload->count)
        fo_fail(error, "prepare: there are no exchanges");
}

static void free_exchange(struct fo_exchange *exchange)
{
    for (size_t i = 0; i < exchange->header_count; i++)
        free(exchange->headers[i]);
    free(exchange->headers);
    free(exchange->fields);
    free(exchange->body.header);
    free(exchange->body.fields);
    free(exchange->body.files);
    fo_free(&exchange->body.file);
}

void fo_workload_free(struct fo_workload *workload)
{
    for (size_t i = 0; i < workload->count; i++)
        free_exchange(&workload->exchanges[i]);
    free(workload->exchanges);
    json_decref(workload->document);
    *workload = (struct fo_workload){0};
}

bool fo_option(const struct fo_settings *settings, const char *name, bool unless_given)
{
    const json_t *value = json_object_get(settings->options, name);
    return value ? json_is_true(value) : unless_given;
}

static void read_whole(struct fo_buffer *buffer, const char *path, struct fo_error *error)
{
    enum { STEP = 64 * 1024 };
    FILE *file = fopen(path, "rb");
    if (!file) {
        fo_fail(error, "%s: %s", path, strerror(errno));
        return;
    }
    size_t size;
    while ((size = fread(fo_room(buffer, STEP), 1, STEP, file)) > 0)
        buffer->size += size;
    if (ferror(file))
        fo_fail(error, "%s: cannot be read", path);
    fclose(file);
}

void fo_read_bodies(struct fo_workload *workload, struct fo_error *error)
{
    for (size_t i = 0; i < workload->count; i++) {
        struct fo_body *body = &workload->exchanges[i].body;
        if (body->kind == FO_RAW)
            read_whole(&body->file, body->path, error);
    }
}
