#include "options.h"

#include <stdio.h>
#include <string.h>

/* "curl 7.88.1 (x86_64-pc-linux-gnu) libcurl/7.88.1 OpenSSL/3.0.19 …" */
void describe(const char *text, struct fo_description *us)
{
    static char version[32], engine[40] = "libcurl ";
    sscanf(text, "curl %31s (%*[^)]) libcurl/%31s", version, engine + strlen("libcurl "));
    us->version = version;
    us->engine = engine;
}

/* Adds the option with the text as its value, and frees the text. */
static void option_text(struct fo_call *call, const char *name, struct fo_buffer *text)
{
    fo_append(text, "", 1);
    option(call, name, text->data);
    fo_free(text);
}

static void add_form(struct fo_call *call, const struct fo_body *body)
{
    for (size_t i = 0; i < body->field_count; i++) {
        struct fo_buffer field = {0};
        fo_print_escaped(&field, body->fields[i].name);
        fo_print(&field, "=%s", body->fields[i].value);
        option_text(call, "data-urlencode", &field);
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
        struct fo_buffer part = {0};
        fo_print(&part, "%s=%s", body->fields[i].name, body->fields[i].value);
        option_text(call, "form-string", &part);
    }
    for (size_t i = 0; i < body->file_count; i++) {
        const struct fo_file *file = &body->files[i];
        struct fo_buffer part = {0};
        fo_print(&part, "%s=@", file->name);
        print_quoted(&part, file->path);
        fo_print(&part, ";filename=");
        print_quoted(&part, file->filename);
        fo_print(&part, ";type=%s", file->content_type);
        option_text(call, "form", &part);
    }
}

static void add_body(struct fo_call *call, const struct fo_exchange *exchange)
{
    const struct fo_body *body = &exchange->body;
    struct fo_buffer text = {0};
    bool is_put = strcmp(exchange->method, "PUT") == 0;
    if (is_put && body->kind != FO_RAW)
        option(call, "request", "PUT");
    if (body->kind == FO_RAW) {
        fo_print(&text, "%s%s", is_put ? "" : "@", body->path);
        option(call, "header", body->header);
        option_text(call, is_put ? "upload-file" : "data-binary", &text);
    } else if (body->kind == FO_JSON) {
        fo_print_body(&text, body);
        option_content(call, "json", &text);
        fo_free(&text);
    } else if (body->kind == FO_MULTIPART) {
        add_parts(call, body);
    } else if (body->field_count) {
        add_form(call, body);
    } else {
        option(call, "data", "");
    }
}

static void option_seconds(struct fo_call *call, const char *name, long ms)
{
    struct fo_buffer seconds = {0};
    fo_print(&seconds, "%.3f", ms / 1000.0);
    option_text(call, name, &seconds);
}

static void add_limits(struct fo_call *call, const struct fo_settings *settings)
{
    struct fo_buffer redirects = {0};
    if (settings->redirects) {
        fo_print(&redirects, "%ld", settings->redirects);
        option(call, "location", NULL);
        option_text(call, "max-redirs", &redirects);
    }
    if (settings->connect_ms)
        option_seconds(call, "connect-timeout", settings->connect_ms);
    if (settings->total_ms)
        option_seconds(call, "max-time", settings->total_ms);
}

void options_of(const struct fo_exchange *exchange, struct fo_call *call)
{
    static const char *const protocols[] = {"http1.1", "http2", "http2-prior-knowledge"};
    const struct fo_settings *settings = call->settings;
    bool is_head = strcmp(exchange->method, "HEAD") == 0;
    option(call, "globoff", NULL);
    option(call, protocols[settings->protocol], NULL);
    option(call, "output", is_head ? "/dev/null" : call->output);
    for (size_t i = 0; i < exchange->header_count; i++)
        option(call, "header", exchange->headers[i]);
    if (call->cookies) {
        option(call, "cookie", call->cookies);
        option(call, "cookie-jar", call->cookies);
    }
    if (settings->decompress)
        option(call, "compressed", NULL);
    if (settings->tls_ca)
        option(call, "cacert", settings->tls_ca);
    if (settings->proxy)
        option(call, "proxy", settings->proxy);
    add_limits(call, settings);
    if (is_head)
        option(call, "head", NULL);
    else if (strcmp(exchange->method, "GET") != 0)
        add_body(call, exchange);
    option(call, "url", exchange->url);
}
