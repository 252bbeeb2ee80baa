/* An exchange as options of curl, whether they stand on its command line or in a configuration. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "command.h"

/* Adds an option by its long name; NULL: one without a value. Each adapter has its own. */
void option(struct fo_call *call, const char *name, const char *value);
/* The same, for a value that may be too large for a command line. */
void option_content(struct fo_call *call, const char *name, const struct fo_buffer *content);

void options_of(const struct fo_exchange *exchange, struct fo_call *call);

void describe(const char *text, struct fo_description *us);

#define FEATURES                                                                                   \
    "http/1.1 h2 tls proxy method.get method.head method.post method.put "                         \
    "body.form body.json body.multipart body.raw headers "                                         \
    "sink.buffer sink.json sink.discard sink.file cookies decompression coding.deflate coding.br " \
    "coding.zstd redirects timeout.connect timeout.total inject.busy"

#endif
