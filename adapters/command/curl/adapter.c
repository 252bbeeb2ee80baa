#include "command.h"

#include <stdlib.h>
#include <string.h>

/* "curl 7.88.1 (x86_64-pc-linux-gnu) libcurl/7.88.1 OpenSSL/3.0.19 …" */
static void describe(const char *text, struct fo_description *us)
{
    static char version[32], engine[40] = "libcurl ";
    sscanf(text, "curl %31s (%*[^)]) libcurl/%31s", version, engine + strlen("libcurl "));
    us->version = version;
    us->engine = engine;
}

static void add_form(struct fo_call *call, const struct fo_body *body)
{
    for (size_t i = 0; i < body->field_count; i++) {
        struct fo_buffer field = {0};
        fo_print_escaped(&field, body->fields[i].name);
        fo_print(&field, "=%s", body->fields[i].value);
        fo_arguments(call, "--data-urlencode", field.data, NULL);
        fo_free(&field);
    }
}

/* As --form wants texts that may hold its separators. */
static void print_quoted(struct fo_buffer *out, const char *text)
{
    fo_append(out, "\"", 1);
    for (; *text; text++)
        fo_print(out, "%s%c", strchr("\"\\", *text) ? "\\" : "", *text);
    fo_append(out, "\"", 1);
}

static void add_parts(struct fo_call *call, const struct fo_body *body)
{
    for (size_t i = 0; i < body->field_count; i++) {
        fo_arguments(call, "--form-string", NULL);
        fo_argument(call, "%s=%s", body->fields[i].name, body->fields[i].value);
    }
    for (size_t i = 0; i < body->file_count; i++) {
        const struct fo_file *file = &body->files[i];
        struct fo_buffer part = {0};
        fo_print(&part, "%s=@", file->name);
        print_quoted(&part, file->path);
        fo_print(&part, ";filename=");
        print_quoted(&part, file->filename);
        fo_print(&part, ";type=%s", file->content_type);
        fo_arguments(call, "--form", part.data, NULL);
        fo_free(&part);
    }
}

static void add_body(struct fo_call *call, const struct fo_exchange *exchange)
{
    const struct fo_body *body = &exchange->body;
    bool is_put = strcmp(exchange->method, "PUT") == 0;
    if (is_put && body->kind != FO_RAW)
        fo_arguments(call, "--request", "PUT", NULL);
    if (body->kind == FO_RAW) {
        fo_arguments(call, "--header", body->header, is_put ? "--upload-file" : "--data-binary",
                     NULL);
        fo_argument(call, is_put ? "%s" : "@%s", body->path);
    } else if (body->kind == FO_JSON) {
        fo_print_body(&call->input, body);
        fo_arguments(call, "--json", "@-", NULL);
    } else if (body->kind == FO_MULTIPART) {
        add_parts(call, body);
    } else if (body->field_count) {
        add_form(call, body);
    } else {
        fo_arguments(call, "--data", "", NULL);
    }
}

static void add_limits(struct fo_call *call, const struct fo_settings *settings)
{
    if (settings->redirects) {
        fo_arguments(call, "--location", "--max-redirs", NULL);
        fo_argument(call, "%ld", settings->redirects);
    }
    if (settings->connect_ms) {
        fo_arguments(call, "--connect-timeout", NULL);
        fo_argument(call, "%.3f", settings->connect_ms / 1000.0);
    }
    if (settings->total_ms) {
        fo_arguments(call, "--max-time", NULL);
        fo_argument(call, "%.3f", settings->total_ms / 1000.0);
    }
}

static void arguments(const struct fo_exchange *exchange, struct fo_call *call)
{
    const struct fo_settings *settings = call->settings;
    bool is_head = strcmp(exchange->method, "HEAD") == 0;
    fo_arguments(call, "--disable", "--silent", "--show-error", "--globoff", "--http1.1", NULL);
    fo_arguments(call, "--write-out", "%{stderr}%{http_code}", NULL);
    fo_arguments(call, "--output", is_head ? "/dev/null" : call->output, NULL);
    for (size_t i = 0; i < exchange->header_count; i++)
        fo_arguments(call, "--header", exchange->headers[i], NULL);
    if (call->cookies)
        fo_arguments(call, "--cookie", call->cookies, "--cookie-jar", call->cookies, NULL);
    if (settings->decompress)
        fo_arguments(call, "--compressed", NULL);
    if (settings->tls_ca)
        fo_arguments(call, "--cacert", settings->tls_ca, NULL);
    add_limits(call, settings);
    if (is_head)
        fo_arguments(call, "--head", NULL);
    else if (strcmp(exchange->method, "GET") != 0)
        add_body(call, exchange);
    fo_arguments(call, exchange->url, NULL);
}

/* The status is what --write-out put last; advice may follow the error. */
static int status(char *log, int exit_status)
{
    size_t length = strlen(log);
    char *code = log + (length < 3 ? 0 : length - 3);
    int status = atoi(code);
    *code = '\0';
    char *reason = strstr(log, "curl: (");
    if (reason)
        reason[strcspn(reason, "\n")] = '\0';
    return exit_status == 0 ? status : 0;
}

int main(void)
{
    return fo_serve_command(&(struct fo_command){
        .name = "curl",
        .features = "http/1.1 tls method.get method.head method.post method.put "
                    "body.form body.json body.multipart body.raw headers connection.fresh "
                    "sink.buffer sink.json sink.discard sink.file cookies decompression redirects "
                    "timeout.connect timeout.total inject.busy",
        .describe = describe,
        .arguments = arguments,
        .status = status,
    });
}
