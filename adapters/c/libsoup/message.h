/* A session and its messages, for both of libsoup's interfaces. */
#ifndef MESSAGE_H
#define MESSAGE_H

#include "fetchoff.h"

#include <libsoup/soup.h>

void describe_soup(struct fo_description *us, const char *features);

SoupSession *session_of(const struct fo_settings *settings, struct fo_error *error);
SoupMessage *message_of(const struct fo_exchange *exchange, const struct fo_settings *settings);

bool wants_whole(const struct fo_settings *settings);

/* Hands over all of the content, or a piece of it for a sink that keeps none; notes the error; and
   frees both. */
void take_content(struct fo_answer *answer, GBytes *content);
void take_error(struct fo_answer *answer, GError *failure);

#define FEATURES                                                                                   \
    "http/1.1 h2 tls proxy method.get method.head method.post method.put "                         \
    "body.form body.json body.multipart body.raw headers connection.reuse connection.fresh "       \
    "sink.buffer sink.json sink.discard sink.file read-size cookies decompression "                \
    "coding.deflate redirects timeout.read inject.busy"

#endif
