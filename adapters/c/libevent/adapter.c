#include "fetchoff.h"

#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/http.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct event_base *base;
static struct evhttp_connection **connections; /* one for each exchange in flight */
static size_t count;

static void describe(struct fo_description *us, struct fo_error *error)
{
    (void)error;
    us->client = "libevent";
    us->version = event_get_version();
    us->features = "http/1.1 method.get method.head method.post method.put "
                   "body.form body.json body.raw headers connection.reuse connection.fresh "
                   "concurrency sink.buffer sink.json sink.discard sink.file timeout.read "
                   "inject.busy";
}

static struct evhttp_connection *connect_to(const struct evhttp_uri *uri,
                                            const struct fo_settings *settings)
{
    int port = evhttp_uri_get_port(uri);
    struct evhttp_connection *connection = evhttp_connection_base_new(
        base, NULL, evhttp_uri_get_host(uri), port < 0 ? 80 : (ev_uint16_t)port);
    if (settings->read_ms) {
        const struct timeval limit = {settings->read_ms / 1000, settings->read_ms % 1000 * 1000};
        evhttp_connection_set_timeout_tv(connection, &limit);
    }
    evhttp_connection_set_retries(connection, 0);
    return connection;
}

/* A connection is one to a server: those to another one would be others. */
static void prepare(struct fo_workload *workload, struct fo_error *error)
{
    fo_read_bodies(workload, error);
    for (size_t i = 0; i < workload->count; i++)
        workload->exchanges[i].own = evhttp_uri_parse(workload->exchanges[i].url);
    count = workload->settings.concurrency;
    base = event_base_new();
    connections = calloc(count, sizeof *connections);
    for (size_t i = 0; i < count; i++)
        connections[i] = connect_to(workload->exchanges[0].own, &workload->settings);
}

/* All of the content, or a piece of it for a sink that keeps none. */
static void pass(struct evhttp_request *request, struct fo_answer *answer)
{
    struct evbuffer *content = evhttp_request_get_input_buffer(request);
    size_t size = evbuffer_get_length(content);
    fo_content_whole(answer, evbuffer_pullup(content, -1), size);
    evbuffer_drain(content, size);
}

static void on_chunk(struct evhttp_request *request, void *answer)
{
    pass(request, answer);
}

static void on_error(enum evhttp_request_error kind, void *answer)
{
    static const char *const reasons[] = {
        [EVREQ_HTTP_TIMEOUT] = "the time is up",
        [EVREQ_HTTP_EOF] = "the connection was closed before the end of the answer",
        [EVREQ_HTTP_INVALID_HEADER] = "the head of the answer is not valid",
        [EVREQ_HTTP_BUFFER_ERROR] = "reading or writing failed",
        [EVREQ_HTTP_REQUEST_CANCEL] = "the request was cancelled",
        [EVREQ_HTTP_DATA_TOO_LONG] = "the content is too long",
    };
    fo_fail(&((struct fo_answer *)answer)->error, "%s", reasons[kind]);
}

static void on_end(struct evhttp_request *request, void *data)
{
    struct fo_answer *answer = data;
    if (request && evhttp_request_get_response_code(request)) {
        answer->status = evhttp_request_get_response_code(request);
        pass(request, answer);
    } else {
        fo_fail(&answer->error, "there was no connection, or no answer");
    }
    fo_finish(answer);
}

static void add_fields(struct evhttp_request *request, const struct fo_exchange *exchange,
                       const struct fo_settings *settings)
{
    struct evkeyvalq *fields = evhttp_request_get_output_headers(request);
    const struct evhttp_uri *uri = exchange->own;
    char host[256];
    snprintf(host, sizeof host, "%s:%d", evhttp_uri_get_host(uri), evhttp_uri_get_port(uri));
    evhttp_add_header(fields, "Host",
                      evhttp_uri_get_port(uri) < 0 ? evhttp_uri_get_host(uri) : host);
    for (size_t i = 0; i < exchange->header_count; i++)
        evhttp_add_header(fields, exchange->fields[i].name, exchange->fields[i].value);
    if (exchange->body.content_type)
        evhttp_add_header(fields, "Content-Type", exchange->body.content_type);
    if (settings->reuse == FO_FRESH)
        evhttp_add_header(fields, "Connection", "close");
}

static void add_content(struct evhttp_request *request, const struct fo_body *body)
{
    struct evbuffer *out = evhttp_request_get_output_buffer(request);
    struct fo_buffer room = {0};
    if (body->kind == FO_RAW) {
        evbuffer_add_reference(out, body->file.data, body->file.size, NULL, NULL);
    } else if (body->kind) {
        fo_print_body(&room, body);
        evbuffer_add(out, room.data, room.size);
        fo_free(&room);
    }
}

static enum evhttp_cmd_type method_of(const char *name)
{
    return strcmp(name, "HEAD") == 0   ? EVHTTP_REQ_HEAD
           : strcmp(name, "POST") == 0 ? EVHTTP_REQ_POST
           : strcmp(name, "PUT") == 0  ? EVHTTP_REQ_PUT
                                       : EVHTTP_REQ_GET;
}

static void begin(const struct fo_exchange *exchange, struct fo_answer *answer)
{
    const struct fo_settings *settings = answer->settings;
    const struct evhttp_uri *uri = exchange->own;
    const char *path = evhttp_uri_get_path(uri), *query = evhttp_uri_get_query(uri);
    struct evhttp_request *request = evhttp_request_new(on_end, answer);
    struct fo_buffer target = {0};
    fo_print(&target, "%s%s%s", *path ? path : "/", query ? "?" : "", query ? query : "");
    evhttp_request_set_error_cb(request, on_error);
    if (settings->sink == FO_DISCARD || settings->sink == FO_FILE)
        evhttp_request_set_chunked_cb(request, on_chunk);
    add_fields(request, exchange, settings);
    add_content(request, &exchange->body);
    evhttp_make_request(connections[answer->lane], request, method_of(exchange->method),
                        target.data);
    fo_free(&target);
}

static void wait_for_events(void)
{
    event_base_loop(base, EVLOOP_ONCE);
}

static void reset(struct fo_workload *workload)
{
    for (size_t i = 0; i < count; i++)
        evhttp_connection_free(connections[i]);
    event_base_free(base);
    free(connections);
    for (size_t i = 0; i < workload->count; i++)
        evhttp_uri_free(workload->exchanges[i].own);
}

int main(void)
{
    return fo_serve(&(struct fo_adapter){.describe = describe,
                                         .prepare = prepare,
                                         .begin = begin,
                                         .wait = wait_for_events,
                                         .reset = reset});
}
