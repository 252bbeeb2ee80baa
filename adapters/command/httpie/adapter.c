#include "command.h"

#include <stdio.h>
#include <string.h>

static void describe(const char *text, struct fo_description *us)
{
    static char version[32];
    sscanf(text, "%31s", version);
    us->client = "httpie";
    us->version = version;
}

/* A backslash keeps a separator of HTTPie's items from being one. */
static void print_name(struct fo_buffer *out, const char *name)
{
    for (; *name; name++)
        fo_print(out, "%s%c", strchr(":=@;\\", *name) ? "\\" : "", *name);
}

static void add_item(struct fo_call *call, const struct fo_field *field, const char *separator)
{
    struct fo_buffer name = {0};
    print_name(&name, field->name);
    fo_argument(call, "%.*s%s%s", (int)name.size, name.data, separator, field->value);
    fo_free(&name);
}

static void add_options(struct fo_call *call, const struct fo_exchange *exchange)
{
    const struct fo_settings *settings = call->settings;
    fo_arguments(call, "--print=hb", "--pretty=none", NULL);
    if (exchange->body.kind == FO_FORM)
        fo_arguments(call, "--form", NULL);
    if (exchange->body.kind == FO_MULTIPART)
        fo_arguments(call, "--multipart", NULL);
    if (exchange->body.kind != FO_JSON)
        fo_arguments(call, "--ignore-stdin", NULL);
    if (settings->redirects) {
        fo_arguments(call, "--follow", NULL);
        fo_argument(call, "--max-redirects=%ld", settings->redirects);
    }
    if (settings->read_ms)
        fo_argument(call, "--timeout=%.3f", settings->read_ms / 1000.0);
    if (call->cookies)
        fo_argument(call, "--session=%s", call->cookies);
    if (settings->tls_ca)
        fo_argument(call, "--verify=%s", settings->tls_ca);
    if (settings->proxy) {
        fo_argument(call, "--proxy=http:%s", settings->proxy);
        fo_argument(call, "--proxy=https:%s", settings->proxy);
    }
}

static void add_body(struct fo_call *call, const struct fo_body *body)
{
    for (size_t i = 0; i < body->field_count; i++)
        add_item(call, &body->fields[i], "=");
    /* A part has its file's own name. */
    for (size_t i = 0; i < body->file_count; i++) {
        const struct fo_file *file = &body->files[i];
        struct fo_buffer part = {0};
        fo_print(&part, "%s;type=%s", file->path, file->content_type);
        fo_append(&part, "", 1);
        add_item(call, &(struct fo_field){file->name, part.data}, "@");
        fo_free(&part);
    }
    if (body->kind == FO_RAW)
        fo_argument(call, "@%s", body->path);
    else if (body->kind == FO_JSON)
        fo_print_body(&call->input, body);
    if (body->content_type)
        fo_argument(call, "Content-Type:%s", body->content_type);
}

static void arguments(const struct fo_exchange *exchange, struct fo_call *call)
{
    call->head_first = true;
    add_options(call, exchange);
    fo_arguments(call, exchange->method, exchange->url, NULL);
    for (size_t i = 0; i < exchange->header_count; i++)
        add_item(call, &exchange->fields[i], ":");
    if (!call->settings->decompress)
        fo_arguments(call, "Accept-Encoding:identity", NULL);
    add_body(call, &exchange->body);
}

static int status(char *log, int exit_status)
{
    int status = 0;
    sscanf(log, "HTTP/%*s %d", &status);
    return exit_status == 0 ? status : 0;
}

int main(void)
{
    return fo_serve_command(&(struct fo_command){
        .name = "http",
        .features = "http/1.1 tls proxy method.get method.head method.post method.put "
                    "body.form body.json body.multipart body.raw headers connection.fresh "
                    "sink.buffer sink.json sink.discard sink.file cookies decompression "
                    "coding.deflate redirects timeout.read inject.busy",
        .no_cookies = "{}",
        .describe = describe,
        .arguments = arguments,
        .status = status,
    });
}
