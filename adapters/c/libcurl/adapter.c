#include "easy.h"

static struct easy easy;

static void describe(struct fo_description *us, struct fo_error *error)
{
    easy_describe(us, "", error);
}

static void prepare(struct fo_workload *workload, struct fo_error *error)
{
    fo_read_bodies(workload, error);
    easy_open(&easy, &workload->settings);
}

static void exchange(const struct fo_exchange *exchange, struct fo_answer *answer)
{
    easy_begin(&easy, exchange, answer);
    easy_finish(&easy, curl_easy_perform(easy.curl));
}

static void reset(struct fo_workload *workload)
{
    (void)workload;
    easy_close(&easy);
}

int main(void)
{
    return fo_serve(&(struct fo_adapter){
        .describe = describe, .prepare = prepare, .exchange = exchange, .reset = reset});
}
