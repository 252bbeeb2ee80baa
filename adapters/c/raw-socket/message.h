/* As much of HTTP/1.1 (RFC 9112) as the floor needs. */
#ifndef MESSAGE_H
#define MESSAGE_H

#include "fetchoff.h"

#include <netdb.h>

struct request {
    struct fo_buffer bytes;
    struct addrinfo *address;
    bool is_head;
};

/* Builds the whole request of an exchange; NULL, and an error noted, if that cannot be done. */
struct request *request_of(const struct fo_exchange *exchange, struct fo_error *error);
void request_free(struct request *request);

/* Where answers are read from: the connection, and what was received from it and not used yet. */
struct source {
    int socket;
    size_t read_size, begin, end;
    char data[64 * 1024];
};

/* NOTHING: the connection was closed before the answer began. BROKEN: an error was noted.
   LAST, REUSABLE: read whole, and whether the connection can take another request. */
enum outcome { NOTHING, BROKEN, LAST, REUSABLE };

enum outcome read_answer(struct source *source, bool is_head, struct fo_answer *answer);

#endif
