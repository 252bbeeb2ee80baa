#include "command.h"

#include <stdlib.h>
#include <string.h>

static void describe(const char *text, struct fo_description *us)
{
    static char version[32];
    sscanf(text, "GNU Wget %31s", version);
    us->version = version;
}

static void add_body(struct fo_call *call, const struct fo_body *body)
{
    struct fo_buffer form = {0};
    if (body->header)
        fo_argument(call, "--header=%s", body->header);
    if (body->kind == FO_RAW) {
        fo_argument(call, "--body-file=%s", body->path);
    } else if (body->kind == FO_JSON) {
        fo_print_body(&call->input, body);
        fo_arguments(call, "--body-file=/dev/stdin", NULL);
    } else if (body->kind == FO_FORM) {
        fo_print_body(&form, body);
        fo_argument(call, "--body-data=%.*s", (int)form.size, form.data);
        fo_free(&form);
    }
}

static void arguments(const struct fo_exchange *exchange, struct fo_call *call)
{
    const struct fo_settings *settings = call->settings;
    fo_arguments(call, "--no-config", "--no-verbose", "--server-response", NULL);
    fo_arguments(call, "--content-on-error", "--tries=1", NULL);
    fo_argument(call, "--max-redirect=%ld", settings->redirects);
    fo_argument(call, "--output-document=%s", call->output);
    for (size_t i = 0; i < exchange->header_count; i++)
        fo_argument(call, "--header=%s", exchange->headers[i]);
    if (settings->reuse == FO_FRESH)
        fo_arguments(call, "--no-http-keep-alive", NULL);
    if (call->cookies) {
        fo_arguments(call, "--keep-session-cookies", NULL);
        fo_argument(call, "--load-cookies=%s", call->cookies);
        fo_argument(call, "--save-cookies=%s", call->cookies);
    }
    if (settings->decompress)
        fo_arguments(call, "--compression=gzip", NULL);
    if (settings->tls_ca)
        fo_argument(call, "--ca-certificate=%s", settings->tls_ca);
    if (settings->proxy) {
        fo_arguments(call, "--execute", "use_proxy=yes", NULL);
        fo_argument(call, "--execute=http_proxy=%s", settings->proxy);
        fo_argument(call, "--execute=https_proxy=%s", settings->proxy);
    }
    if (settings->connect_ms)
        fo_argument(call, "--connect-timeout=%.3f", settings->connect_ms / 1000.0);
    if (settings->read_ms)
        fo_argument(call, "--read-timeout=%.3f", settings->read_ms / 1000.0);
    if (strcmp(exchange->method, "GET") != 0)
        fo_argument(call, "--method=%s", exchange->method);
    add_body(call, &exchange->body);
    fo_arguments(call, exchange->url, NULL);
}

/* The status is that of the last response whose head --server-response has shown. */
static int status(char *log, int exit_status)
{
    enum { AUTHENTICATION_FAILED = 6, SERVER_SAID_NO = 8 };
    int status = 0, minor;
    for (const char *line = log; (line = strstr(line, "  HTTP/1.")); line++)
        sscanf(line, "  HTTP/1.%d %d", &minor, &status);
    bool is_answered =
        exit_status == 0 || exit_status == SERVER_SAID_NO || exit_status == AUTHENTICATION_FAILED;
    return is_answered ? status : 0;
}

int main(void)
{
    return fo_serve_command(&(struct fo_command){
        .name = "wget",
        .features = "http/1.1 tls proxy method.get method.head method.post method.put "
                    "body.form body.json body.raw headers connection.fresh "
                    "sink.buffer sink.json sink.discard sink.file cookies decompression redirects "
                    "timeout.connect timeout.read inject.busy",
        .describe = describe,
        .arguments = arguments,
        .status = status,
    });
}
