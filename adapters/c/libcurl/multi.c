#include "easy.h"

#include <stdlib.h>

static CURLM *multi;
static struct easy *easies; /* one for each transfer in flight */
static size_t count;

static void describe(struct fo_description *us, struct fo_error *error)
{
    easy_describe(us, "concurrency", error);
}

static void prepare(struct fo_workload *workload, struct fo_error *error)
{
    fo_read_bodies(workload, error);
    multi = curl_multi_init();
    count = workload->settings.concurrency;
    /* libcurl's own rule is four for each in flight, and few are at a batch's end. */
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, 4 * (long)count);
    easies = calloc(count, sizeof *easies);
    for (size_t i = 0; i < count; i++)
        easy_open(&easies[i], &workload->settings);
}

static void begin(const struct fo_exchange *exchange, struct fo_answer *answer)
{
    struct easy *easy = &easies[answer->lane];
    easy_begin(easy, exchange, answer);
    curl_multi_add_handle(multi, easy->curl);
}

static void finish(const CURLMsg *message)
{
    CURL *curl = message->easy_handle;
    CURLcode result = message->data.result;
    struct easy *easy;
    curl_easy_getinfo(curl, CURLINFO_PRIVATE, &easy);
    curl_multi_remove_handle(multi, curl); /* message is gone from here on */
    easy_finish(easy, result);
    fo_finish(easy->answer);
}

static void wait_for_some(void)
{
    int running, left;
    const CURLMsg *message;
    curl_multi_perform(multi, &running);
    while (!(message = curl_multi_info_read(multi, &left))) {
        curl_multi_poll(multi, NULL, 0, 1000, NULL);
        curl_multi_perform(multi, &running);
    }
    do
        finish(message);
    while ((message = curl_multi_info_read(multi, &left)));
}

static void reset(struct fo_workload *workload)
{
    (void)workload;
    for (size_t i = 0; i < count; i++)
        easy_close(&easies[i]);
    curl_multi_cleanup(multi);
    free(easies);
}

int main(void)
{
    return fo_serve(&(struct fo_adapter){.describe = describe,
                                         .prepare = prepare,
                                         .begin = begin,
                                         .wait = wait_for_some,
                                         .reset = reset});
}
