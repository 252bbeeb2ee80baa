#include "message.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

/* The address of "host:port" or "host". */
static struct addrinfo *resolve(const char *authority, size_t length, struct fo_error *error)
{
    struct addrinfo *address = NULL, hints = {.ai_socktype = SOCK_STREAM};
    char *host = strndup(authority, length);
    char *port = strrchr(host, ':');
    if (port)
        *port++ = '\0';
    int code = getaddrinfo(host, port ? port : "80", &hints, &address);
    if (code != 0)
        fo_fail(error, "%s: %s", host, gai_strerror(code));
    free(host);
    return address;
}

static void print_request(struct fo_buffer *out, const struct fo_exchange *exchange,
                          const char *authority, int length)
{
    const char *target = authority + length;
    struct fo_buffer body = {0};
    fo_print(out, "%s %s%s HTTP/1.1\r\nHost: %.*s\r\n", exchange->method, *target == '/' ? "" : "/",
             target, length, authority);
    for (size_t i = 0; i < exchange->header_count; i++)
        fo_print(out, "%s\r\n", exchange->headers[i]);
    if (exchange->body.kind) {
        fo_print_body(&body, &exchange->body);
        fo_print(out, "%s\r\n", exchange->body.header);
    }
    if (strcmp(exchange->method, "POST") == 0 || strcmp(exchange->method, "PUT") == 0)
        fo_print(out, "Content-Length: %zu\r\n", body.size);
    fo_append(out, "\r\n", 2);
    fo_append(out, body.data, body.size);
    fo_free(&body);
}

struct request *request_of(const struct fo_exchange *exchange, struct fo_error *error)
{
    static const char scheme[] = "http://";
    const char *authority = exchange->url + strlen(scheme);
    if (strncmp(exchange->url, scheme, strlen(scheme)) != 0) {
        fo_fail(error, "%s: only http:// is spoken here", exchange->url);
        return NULL;
    }
    size_t length = strcspn(authority, "/?");
    struct request *request = calloc(1, sizeof *request);
    request->address = resolve(authority, length, error);
    request->is_head = strcmp(exchange->method, "HEAD") == 0;
    print_request(&request->bytes, exchange, authority, length);
    return request;
}

void request_free(struct request *request)
{
    if (!request)
        return;
    if (request->address)
        freeaddrinfo(request->address);
    fo_free(&request->bytes);
    free(request);
}

static bool is_received(ssize_t size, struct fo_answer *answer)
{
    if (size == 0)
        fo_fail(&answer->error, "the connection was closed before the end of the answer");
    else if (size < 0)
        fo_fail(&answer->error, "recv: %s", strerror(errno));
    return size > 0;
}

/* Receives once, behind what is still unused. */
static ssize_t fill(struct source *source)
{
    memmove(source->data, source->data + source->begin, source->end - source->begin);
    source->end -= source->begin;
    source->begin = 0;
    size_t room = sizeof source->data - source->end;
    if (room == 0) {
        errno = EMSGSIZE;
        return -1;
    }
    if (room > source->read_size)
        room = source->read_size;
    ssize_t size = recv(source->socket, source->data + source->end, room, 0);
    source->end += size > 0 ? size : 0;
    return size;
}

/* The next line, a zero in place of its end; NULL, and an error noted, if it does not come. */
static char *next_line(struct source *source, struct fo_answer *answer)
{
    for (size_t seen = 0;;) {
        char *line = source->data + source->begin;
        char *end = memchr(line + seen, '\n', source->end - source->begin - seen);
        if (end) {
            source->begin += end + 1 - line;
            *(end > line && end[-1] == '\r' ? end - 1 : end) = '\0';
            return line;
        }
        seen = source->end - source->begin;
        if (!is_received(fill(source), answer))
            return NULL;
    }
}

/* Passes on so many bytes of content; large ones straight from the socket. */
static bool take(struct source *source, unsigned long long left, struct fo_answer *answer)
{
    while (left) {
        size_t here = source->end - source->begin;
        ssize_t size;
        if (here) {
            size = here < left ? here : left;
            if (!fo_content(answer, source->data + source->begin, size))
                return false;
            source->begin += size;
            left -= size;
        } else if (left < source->read_size) {
            if (!is_received(fill(source), answer))
                return false;
        } else {
            char *room = fo_content_room(answer, source->read_size);
            size = recv(source->socket, room, source->read_size, 0);
            if (!is_received(size, answer) || !fo_content_read(answer, size))
                return false;
            left -= size;
        }
    }
    return true;
}

static bool take_chunks(struct source *source, struct fo_answer *answer)
{
    const char *line;
    while ((line = next_line(source, answer))) {
        char *end;
        unsigned long long size = strtoull(line, &end, 16);
        if (end == line) {
            fo_fail(&answer->error, "a chunk without a size");
            return false;
        }
        if (size == 0)
            break;
        if (!take(source, size, answer) || !next_line(source, answer))
            return false;
    }
    while (line && *line) /* the trailer section */
        line = next_line(source, answer);
    return line != NULL;
}

static bool take_until_closed(struct source *source, struct fo_answer *answer)
{
    ssize_t size;
    do {
        size_t here = source->end - source->begin;
        if (!fo_content(answer, source->data + source->begin, here))
            return false;
        source->begin = source->end;
        size = fill(source);
    } while (size > 0);
    return size == 0 || is_received(size, answer);
}

struct head {
    bool chunked, close;
    long long length; /* -1: not given */
};

static const char *value_of(const char *line, const char *name)
{
    size_t length = strlen(name);
    if (strncasecmp(line, name, length) != 0 || line[length] != ':')
        return NULL;
    return line + length + 1 + strspn(line + length + 1, " \t");
}

static bool read_head(struct source *source, struct head *head, struct fo_answer *answer)
{
    int minor;
    const char *line = next_line(source, answer), *value;
    *head = (struct head){.length = -1};
    if (!line)
        return false;
    if (sscanf(line, "HTTP/1.%d %d", &minor, &answer->status) != 2) {
        fo_fail(&answer->error, "not an answer in HTTP/1.1: %.60s", line);
        return false;
    }
    head->close = minor == 0;
    while ((line = next_line(source, answer)) && *line)
        if ((value = value_of(line, "Content-Length")))
            head->length = atoll(value);
        else if ((value = value_of(line, "Transfer-Encoding")))
            head->chunked = strcasecmp(value, "chunked") == 0;
        else if ((value = value_of(line, "Connection")))
            head->close = strcasecmp(value, "close") == 0;
    return line != NULL;
}

enum outcome read_answer(struct source *source, bool is_head, struct fo_answer *answer)
{
    struct head head;
    if (source->begin == source->end && fill(source) <= 0)
        return NOTHING;
    do
        if (!read_head(source, &head, answer))
            return BROKEN;
    while (answer->status < 200);

    bool whole = true;
    if (is_head || answer->status == 204 || answer->status == 304)
        head.length = 0;
    else if (head.chunked)
        whole = take_chunks(source, answer);
    else if (head.length >= 0)
        whole = take(source, head.length, answer);
    else
        whole = take_until_closed(source, answer);
    if (!whole)
        return BROKEN;
    return head.close || (!head.chunked && head.length < 0) ? LAST : REUSABLE;
}
