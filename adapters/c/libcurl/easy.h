/* One easy handle and its exchange, for both of libcurl's interfaces. */
#ifndef EASY_H
#define EASY_H

#include "fetchoff.h"

#include <curl/curl.h>

struct easy {
    CURL *curl;
    struct fo_answer *answer;
    char problem[CURL_ERROR_SIZE];
    struct curl_slist *headers;
    curl_mime *mime;
    FILE *upload;
    struct fo_buffer text;
};

/* What this libcurl can do, and besides it the features given. */
void easy_describe(struct fo_description *us, const char *more, struct fo_error *error);

void easy_open(struct easy *easy, const struct fo_settings *settings);
void easy_close(struct easy *easy);

/* Sets the options of an exchange; what it needs lasts until easy_finish. */
void easy_begin(struct easy *easy, const struct fo_exchange *exchange, struct fo_answer *answer);
void easy_finish(struct easy *easy, CURLcode result);

#endif
