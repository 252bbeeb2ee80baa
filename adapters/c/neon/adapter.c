#include "fetchoff.h"

#include <ne_compress.h>
#include <ne_request.h>
#include <ne_session.h>
#include <ne_ssl.h>
#include <ne_uri.h>
#include <ne_utils.h>
#include <string.h>

static ne_session *session;

static void describe(struct fo_description *us, struct fo_error *error)
{
    static char version[32];
    if (ne_sock_init() != 0)
        fo_fail(error, "neon cannot be initialised");
    sscanf(ne_version_string(), "neon %31[^:]", version);
    us->client = "neon";
    us->version = version;
    us->features = "http/1.1 tls proxy method.get method.head method.post method.put "
                   "body.form body.json body.raw headers connection.reuse connection.fresh "
                   "sink.buffer sink.json sink.discard sink.file decompression "
                   "timeout.connect timeout.read inject.busy";
}

static void trust(const char *path, struct fo_error *error)
{
    ne_ssl_certificate *authority = ne_ssl_cert_read(path);
    if (!authority) {
        fo_fail(error, "%s: cannot be read", path);
        return;
    }
    ne_ssl_trust_cert(session, authority);
    ne_ssl_cert_free(authority);
}

static void set_proxy(const char *url)
{
    ne_uri proxy = {0};
    if (ne_uri_parse(url, &proxy) == 0)
        ne_session_proxy(session, proxy.host, proxy.port);
    ne_uri_free(&proxy);
}

static int seconds(long ms)
{
    return (ms + 999) / 1000;
}

static void open_session(const ne_uri *server, const struct fo_settings *settings,
                         struct fo_error *error)
{
    unsigned port = server->port ? server->port : ne_uri_defaultport(server->scheme);
    session = ne_session_create(server->scheme, server->host, port);
    ne_set_session_flag(session, NE_SESSFLAG_PERSIST, settings->reuse != FO_FRESH);
    if (settings->connect_ms)
        ne_set_connect_timeout(session, seconds(settings->connect_ms));
    if (settings->read_ms)
        ne_set_read_timeout(session, seconds(settings->read_ms));
    if (settings->proxy)
        set_proxy(settings->proxy);
    if (settings->tls_ca)
        trust(settings->tls_ca, error);
    else if (strcmp(server->scheme, "https") == 0)
        ne_ssl_trust_default_ca(session);
}

/* A session is one of a server: those of another one would need another. */
static void prepare(struct fo_workload *workload, struct fo_error *error)
{
    ne_uri first = {0};
    fo_read_bodies(workload, error);
    ne_uri_parse(workload->exchanges[0].url, &first);
    open_session(&first, &workload->settings, error);
    for (size_t i = 0; i < workload->count; i++) {
        ne_uri uri = {0};
        ne_uri_parse(workload->exchanges[i].url, &uri);
        if (strcmp(uri.scheme, first.scheme) != 0 || strcmp(uri.host, first.host) != 0 ||
            uri.port != first.port)
            fo_fail(error, "%s: another server than the first one's", workload->exchanges[i].url);
        workload->exchanges[i].own =
            uri.query ? ne_concat(uri.path, "?", uri.query, NULL) : ne_strdup(uri.path);
        ne_uri_free(&uri);
    }
    ne_uri_free(&first);
}

static int on_content(void *answer, const char *data, size_t size)
{
    return fo_content(answer, data, size) ? 0 : -1;
}

static void exchange(const struct fo_exchange *exchange, struct fo_answer *answer)
{
    struct fo_buffer room = {0};
    ne_request *request = ne_request_create(session, exchange->method, exchange->own);
    ne_decompress *decoder = NULL;
    for (size_t i = 0; i < exchange->header_count; i++)
        ne_add_request_header(request, exchange->fields[i].name, exchange->fields[i].value);
    if (exchange->body.kind) {
        ne_add_request_header(request, "Content-Type", exchange->body.content_type);
        const struct fo_buffer *content = fo_body_content(&exchange->body, &room);
        ne_set_request_body_buffer(request, content->data, content->size);
    }
    if (answer->settings->decompress)
        decoder = ne_decompress_reader(request, ne_accept_always, on_content, answer);
    else
        ne_add_response_body_reader(request, ne_accept_always, on_content, answer);

    if (ne_request_dispatch(request) != NE_OK)
        fo_fail(&answer->error, "%s", ne_get_error(session));
    answer->status = ne_get_status(request)->code;
    if (decoder)
        ne_decompress_destroy(decoder);
    ne_request_destroy(request);
    fo_free(&room);
}

static void reset(struct fo_workload *workload)
{
    for (size_t i = 0; i < workload->count; i++)
        ne_free(workload->exchanges[i].own);
    ne_session_destroy(session);
}

int main(void)
{
    return fo_serve(&(struct fo_adapter){
        .describe = describe, .prepare = prepare, .exchange = exchange, .reset = reset});
}
