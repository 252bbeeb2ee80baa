#include "command.h"

#include <stdio.h>
#include <string.h>

static void describe(const char *text, struct fo_description *us)
{
    static char version[32];
    sscanf(text, "GNU Wget2 %31s", version);
    us->version = version;
}

static void add_form(struct fo_call *call, const struct fo_body *body)
{
    struct fo_buffer form = {0};
    fo_print_body(&form, body);
    fo_argument(call, "--post-data=%.*s", (int)form.size, form.data);
    fo_free(&form);
}

static void add_limits(struct fo_call *call, const struct fo_settings *settings)
{
    fo_argument(call, "--max-redirect=%ld", settings->redirects ? settings->redirects : -1);
    if (settings->read_ms)
        fo_argument(call, "--read-timeout=%.3f", settings->read_ms / 1000.0);
}

static void arguments(const struct fo_exchange *exchange, struct fo_call *call)
{
    const struct fo_settings *settings = call->settings;
    fo_arguments(call, "--no-config", "--quiet", "--stats-site=csv:/dev/stderr", NULL);
    fo_arguments(call, "--content-on-error", "--tries=1", "--no-hsts", "--no-hpkp", NULL);
    fo_arguments(call, settings->protocol == FO_H2 ? "--http2" : "--no-http2", NULL);
    fo_argument(call, "--compression=%s", settings->decompress ? "gzip,deflate,br" : "identity");
    fo_argument(call, "--output-document=%s", call->output);
    add_limits(call, settings);
    for (size_t i = 0; i < exchange->header_count; i++)
        fo_argument(call, "--header=%s", exchange->headers[i]);
    if (settings->reuse == FO_FRESH)
        fo_arguments(call, "--no-http-keep-alive", NULL);
    if (call->cookies) {
        fo_arguments(call, "--keep-session-cookies", NULL);
        fo_argument(call, "--load-cookies=%s", call->cookies);
        fo_argument(call, "--save-cookies=%s", call->cookies);
    }
    if (settings->tls_ca) {
        fo_argument(call, "--ca-certificate=%s", settings->tls_ca);
        fo_arguments(call, "--no-ocsp", NULL);
    }
    if (settings->proxy) {
        fo_argument(call, "--http-proxy=%s", settings->proxy);
        fo_argument(call, "--https-proxy=%s", settings->proxy);
    }
    if (strcmp(exchange->method, "POST") == 0) /* a body that is none is an empty form */
        add_form(call, &exchange->body);
    fo_arguments(call, exchange->url, NULL);
}

/* "ID,ParentID,URL,Status,…" and a line for each answer; an exit status says nothing of them. */
static int status(char *log, int exit_status)
{
    int status = 0;
    (void)exit_status;
    for (const char *line = log; (line = strchr(line, '\n'));)
        sscanf(++line, "%*d,%*d,%*[^,],%d,", &status);
    *log = '\0';
    return status;
}

int main(void)
{
    return fo_serve_command(&(struct fo_command){
        .name = "wget2",
        .features = "http/1.1 h2 tls proxy method.get method.post body.form headers "
                    "connection.fresh sink.buffer sink.json sink.discard sink.file cookies "
                    "decompression coding.deflate coding.br redirects timeout.read "
                    "inject.busy",
        .describe = describe,
        .arguments = arguments,
        .status = status,
    });
}
