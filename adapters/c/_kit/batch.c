/* A batch: iterations against the clock, one after the other, by threads, or in an event loop. */
#include "internal.h"

#include <nettle/base16.h>
#include <nettle/version.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

/* One of the exchanges in flight, and what became of those before it. */
struct lane {
    struct fo_answer answer; /* first: an answer's address is its lane's */
    struct batch *batch;
    const struct fo_exchange *exchange;
    struct lane *next_finished;
    struct fo_digest digest;
    long long done, failed, bytes, spun_ns, parse_ns;
    struct fo_error first_failure;
};

struct batch {
    const struct fo_adapter *adapter;
    const struct fo_workload *workload;
    const struct fo_run *run;
    atomic_llong claimed;
    struct lane *lanes;
    size_t lane_count, in_flight;
    struct lane *first_finished, **last_finished;
    json_t *digests;
};

long long fo_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static long long spin(long long duration_ns)
{
    long long begin = fo_now_ns(), spun;
    do
        spun = fo_now_ns() - begin;
    while (spun < duration_ns);
    return spun;
}

/* A lane goes through an iteration and claims the next one; ahead of time, it claims a single
   exchange. False: all are claimed. */
static bool claim(struct lane *lane)
{
    struct batch *batch = lane->batch;
    const struct fo_workload *workload = batch->workload;
    const struct fo_exchange *last = workload->exchanges + workload->count - 1;
    bool ahead = batch->adapter->ahead;
    if (lane->exchange && lane->exchange < last && !ahead) {
        lane->exchange++;
        return true;
    }
    long long number = atomic_fetch_add(&batch->claimed, 1);
    lane->exchange = workload->exchanges + (ahead ? number % (long long)workload->count : 0);
    return number < batch->run->n * (ahead ? (long long)workload->count : 1);
}

static void open_answer(struct lane *lane)
{
    struct batch *batch = lane->batch;
    fo_answer_open(&lane->answer, &batch->workload->settings, lane - batch->lanes,
                   batch->digests ? &lane->digest : NULL);
}

static void count(struct lane *lane)
{
    const struct fo_answer *answer = &lane->answer;
    lane->bytes += answer->bytes;
    lane->parse_ns += answer->parse_ns;
    if (answer->error.text[0]) {
        lane->failed++;
        fo_fail(&lane->first_failure, "%s", answer->error.text);
    } else {
        lane->done++;
    }
}

/* Before the check: content that is not the expected one has a digest, an error has none. */
static void add_digest(struct lane *lane)
{
    bool raised = lane->answer.error.text[0];
    uint8_t digest[SHA256_DIGEST_SIZE];
    char hex[BASE16_ENCODE_LENGTH(SHA256_DIGEST_SIZE)];
#if NETTLE_VERSION_MAJOR < 4
    sha256_digest(&lane->digest.context, sizeof digest, digest);
#else
    sha256_digest(&lane->digest.context, digest);
#endif
    base16_encode_update(hex, sizeof digest, digest);
    json_array_append_new(lane->batch->digests, json_stringn(hex, raised ? 0 : sizeof hex));
}

static void close_answer(struct lane *lane)
{
    if (lane->batch->digests)
        add_digest(lane);
    fo_answer_check(&lane->answer, lane->exchange);
    fo_answer_close(&lane->answer);
    if (lane->batch->adapter->ahead) /* a lane for each exchange */
        fo_free(&lane->answer.buffer);
    count(lane);
    if (lane->batch->run->busy_ns)
        lane->spun_ns += spin(lane->batch->run->busy_ns);
}

static void one_by_one(size_t number, void *data)
{
    struct batch *batch = data;
    struct lane *lane = &batch->lanes[number];
    while (claim(lane)) {
        open_answer(lane);
        batch->adapter->exchange(lane->exchange, &lane->answer);
        close_answer(lane);
    }
}

static void begin_next(struct lane *lane)
{
    if (!claim(lane))
        return;
    open_answer(lane);
    lane->batch->in_flight++;
    lane->batch->adapter->begin(lane->exchange, &lane->answer);
}

void fo_finish(struct fo_answer *answer)
{
    struct lane *lane = (struct lane *)answer;
    lane->next_finished = NULL;
    *lane->batch->last_finished = lane;
    lane->batch->last_finished = &lane->next_finished;
}

static struct lane *take_finished(struct batch *batch)
{
    struct lane *lane = batch->first_finished;
    if (lane && !(batch->first_finished = lane->next_finished))
        batch->last_finished = &batch->first_finished;
    return lane;
}

static void by_events(struct batch *batch)
{
    batch->last_finished = &batch->first_finished;
    for (size_t i = 0; i < batch->lane_count; i++)
        begin_next(&batch->lanes[i]);
    while (batch->in_flight) {
        struct lane *lane;
        while ((lane = take_finished(batch))) {
            batch->in_flight--;
            close_answer(lane);
            begin_next(lane);
        }
        if (batch->in_flight)
            batch->adapter->wait();
    }
}

static void open_lanes(struct batch *batch)
{
    const struct fo_workload *workload = batch->workload;
    batch->lane_count =
        batch->adapter->ahead ? batch->run->n * workload->count : workload->settings.concurrency;
    batch->lanes = calloc(batch->lane_count + 1, sizeof *batch->lanes);
    if (!batch->lanes)
        abort();
    for (size_t i = 0; i < batch->lane_count; i++)
        batch->lanes[i].batch = batch;
}

static void close_lanes(struct batch *batch)
{
    for (size_t i = 0; i < batch->lane_count; i++)
        fo_free(&batch->lanes[i].answer.buffer);
    free(batch->lanes);
}

static struct lane sum(const struct batch *batch)
{
    struct lane all = {0};
    for (size_t i = 0; i < batch->lane_count; i++) {
        const struct lane *lane = &batch->lanes[i];
        all.done += lane->done;
        all.failed += lane->failed;
        all.bytes += lane->bytes;
        all.spun_ns += lane->spun_ns;
        all.parse_ns += lane->parse_ns;
        fo_fail(&all.first_failure, "%s", lane->first_failure.text);
    }
    return all;
}

static json_t *children_answer(const struct fo_children *children)
{
    return json_pack("{s:I, s:I, s:I}", "user_ns", (json_int_t)children->user_ns, "system_ns",
                     (json_int_t)children->system_ns, "peak_kb", (json_int_t)children->peak_kb);
}

static json_t *batch_answer(const struct batch *batch, long long wall_ns)
{
    const struct lane all = sum(batch);
    json_t *answer = json_pack("{s:I, s:I, s:I, s:I}", "done", (json_int_t)all.done, "failed",
                               (json_int_t)all.failed, "bytes", (json_int_t)all.bytes, "wall_ns",
                               (json_int_t)wall_ns);
    if (all.failed)
        json_object_set_new(answer, "error", fo_text(all.first_failure.text));
    if (batch->digests)
        json_object_set_new(answer, "sha256", batch->digests);
    if (batch->run->busy_ns)
        json_object_set_new(answer, "busy_ns", json_integer(all.spun_ns));
    if (batch->workload->settings.sink == FO_PARSE)
        json_object_set_new(answer, "parse_ns", json_integer(all.parse_ns));
    if (batch->adapter->children)
        json_object_set_new(answer, "children", children_answer(batch->adapter->children));
    return answer;
}

json_t *fo_batch(const struct fo_adapter *adapter, const struct fo_workload *workload,
                 const struct fo_run *run)
{
    struct batch batch = {.adapter = adapter, .workload = workload, .run = run};
    if (run->digest)
        batch.digests = json_array();
    if (adapter->children)
        *adapter->children = (struct fo_children){0};
    long long begin = fo_now_ns();
    open_lanes(&batch);
    if (adapter->begin)
        by_events(&batch);
    else if (batch.lane_count > 1)
        fo_crew_do(one_by_one, &batch, batch.lane_count);
    else
        one_by_one(0, &batch);
    json_t *answer = batch_answer(&batch, fo_now_ns() - begin);
    close_lanes(&batch);
    return answer;
}
