#include "message.h"

#include <errno.h>
#include <gnu/libc-version.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static struct source source = {.socket = -1};
static const struct addrinfo *peer;
static bool fresh;

static void describe(struct fo_description *us, struct fo_error *error)
{
    (void)error;
    us->client = "raw-socket";
    us->version = gnu_get_libc_version();
    us->features = "http/1.1 method.get method.head method.post method.put "
                   "body.form body.json body.raw headers connection.reuse connection.fresh "
                   "sink.buffer sink.json sink.discard sink.file read-size inject.busy";
}

static void prepare(struct fo_workload *workload, struct fo_error *error)
{
    fo_read_bodies(workload, error);
    for (size_t i = 0; i < workload->count; i++)
        workload->exchanges[i].own = request_of(&workload->exchanges[i], error);
    fresh = workload->settings.reuse == FO_FRESH;
    source.read_size = sizeof source.data;
    if (workload->settings.read_size && workload->settings.read_size < source.read_size)
        source.read_size = workload->settings.read_size;
}

static void disconnect(void)
{
    if (source.socket >= 0)
        close(source.socket);
    source.socket = -1;
    source.begin = source.end = 0;
}

static bool is_connected_to(const struct addrinfo *address)
{
    return source.socket >= 0 && peer->ai_addrlen == address->ai_addrlen &&
           memcmp(peer->ai_addr, address->ai_addr, address->ai_addrlen) == 0;
}

static bool connect_to(const struct addrinfo *address, struct fo_answer *answer)
{
    const int on = 1;
    disconnect();
    peer = address;
    source.socket = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    setsockopt(source.socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (connect(source.socket, address->ai_addr, address->ai_addrlen) == 0)
        return true;
    fo_fail(&answer->error, "connect: %s", strerror(errno));
    return false;
}

static enum outcome attempt(const struct request *request, struct fo_answer *answer)
{
    const char *data = request->bytes.data;
    for (size_t left = request->bytes.size; left;) {
        ssize_t sent = send(source.socket, data, left, MSG_NOSIGNAL);
        if (sent < 0)
            return NOTHING;
        data += sent;
        left -= sent;
    }
    return read_answer(&source, request->is_head, answer);
}

static void exchange(const struct fo_exchange *exchange, struct fo_answer *answer)
{
    const struct request *request = exchange->own;
    enum outcome outcome = NOTHING;
    if (is_connected_to(request->address))
        outcome = attempt(request, answer);
    /* A kept connection may have been closed in the meantime: RFC 9112, section 9.3.1. */
    if (outcome == NOTHING)
        outcome = connect_to(request->address, answer) ? attempt(request, answer) : BROKEN;
    if (outcome == NOTHING)
        fo_fail(&answer->error, "the connection was closed before the answer");
    if (outcome != REUSABLE || fresh)
        disconnect();
}

static void reset(struct fo_workload *workload)
{
    for (size_t i = 0; i < workload->count; i++)
        request_free(workload->exchanges[i].own);
    disconnect();
}

int main(void)
{
    return fo_serve(&(struct fo_adapter){
        .describe = describe, .prepare = prepare, .exchange = exchange, .reset = reset});
}
