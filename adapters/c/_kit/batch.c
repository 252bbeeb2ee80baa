/* A batch: iterations against the clock. */
#include "internal.h"

#include <time.h>

struct batch {
    const struct fo_adapter *adapter;
    const struct fo_settings *settings;
    const struct fo_run *run;
    long long done, failed, bytes, spun_ns;
    struct fo_error first_failure;
    json_t *digests;
};

static long long now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static long long spin(long long duration_ns)
{
    long long begin = now_ns(), spun;
    do
        spun = now_ns() - begin;
    while (spun < duration_ns);
    return spun;
}

static void count(struct batch *batch, const struct fo_answer *answer)
{
    batch->bytes += answer->bytes;
    if (answer->error.text[0]) {
        batch->failed++;
        fo_fail(&batch->first_failure, "%s", answer->error.text);
    } else {
        batch->done++;
    }
    if (answer->digest) {
        char hex[SHA256_DIGEST_STRING_LENGTH];
        json_array_append_new(batch->digests, json_string(SHA256End(answer->digest, hex)));
    }
}

static void do_exchange(struct batch *batch, const struct fo_exchange *exchange)
{
    SHA256_CTX digest;
    struct fo_answer answer;
    fo_answer_open(&answer, batch->settings, batch->digests ? &digest : NULL);
    if (!answer.error.text[0])
        batch->adapter->exchange(exchange, &answer);
    fo_answer_check(&answer, exchange);
    fo_answer_close(&answer);
    count(batch, &answer);
    if (batch->run->busy_ns)
        batch->spun_ns += spin(batch->run->busy_ns);
}

static json_t *children_answer(const struct fo_children *children)
{
    return json_pack("{s:I, s:I, s:I}", "user_ns", (json_int_t)children->user_ns, "system_ns",
                     (json_int_t)children->system_ns, "peak_kb", (json_int_t)children->peak_kb);
}

static json_t *batch_answer(struct batch *batch, long long wall_ns)
{
    json_t *answer = json_pack("{s:I, s:I, s:I, s:I}", "done", (json_int_t)batch->done, "failed",
                               (json_int_t)batch->failed, "bytes", (json_int_t)batch->bytes,
                               "wall_ns", (json_int_t)wall_ns);
    if (batch->failed)
        json_object_set_new(answer, "error", fo_text(batch->first_failure.text));
    if (batch->digests)
        json_object_set_new(answer, "sha256", batch->digests);
    if (batch->run->busy_ns)
        json_object_set_new(answer, "busy_ns", json_integer(batch->spun_ns));
    if (batch->adapter->children)
        json_object_set_new(answer, "children", children_answer(batch->adapter->children));
    return answer;
}

json_t *fo_batch(const struct fo_adapter *adapter, const struct fo_workload *workload,
                 const struct fo_run *run)
{
    struct batch batch = {.adapter = adapter, .settings = &workload->settings, .run = run};
    if (run->digest)
        batch.digests = json_array();
    if (adapter->children)
        *adapter->children = (struct fo_children){0};
    long long begin = now_ns();
    for (long long i = 0; i < run->n; i++)
        for (size_t k = 0; k < workload->count; k++)
            do_exchange(&batch, &workload->exchanges[k]);
    return batch_answer(&batch, now_ns() - begin);
}
