/* A batch in one process: every content goes to a file of its own, since an output that several
   transfers share cannot be told apart, and is read back where it is wanted in memory. */
#include "call.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct entry {
    struct fo_answer *answer;
    char *output; /* NULL: dropped by the command, which tells its length */
};

static struct fo_call call;
static struct entry *entries;
static size_t count, most;
static char *directory;

void batch_prepare(struct fo_workload *workload, struct fo_error *error)
{
    /* What is given to one process in parallel is in no order. */
    if (workload->settings.concurrency > 1 && workload->count > 1)
        workload->unsupported = "concurrency";
    /* The first exchange of a batch opens a connection, where the one that is there is asked for.
     */
    if (workload->settings.protocol != FO_HTTP_1_1 && workload->settings.reuse == FO_REUSE)
        workload->unsupported = "connection.reuse";
    directory = temporary_name(&workload->settings, "contents");
    if (!mkdtemp(directory))
        fo_fail(error, "%s: %s", directory, strerror(errno));
}

static char *own_file(size_t number)
{
    char *path;
    if (asprintf(&path, "%s/%zu", directory, number) < 0)
        abort();
    return path;
}

/* A length that the command tells is that before decoding. */
static bool is_dropped(const struct fo_exchange *exchange, const struct fo_answer *answer)
{
    const struct fo_settings *settings = answer->settings;
    return strcmp(exchange->method, "HEAD") == 0 ||
           (settings->sink == FO_DISCARD && !settings->decompress && !answer->digest);
}

static char *output_of(const struct fo_exchange *exchange, const struct fo_answer *answer)
{
    if (is_dropped(exchange, answer))
        return NULL;
    return answer->path ? strdup(answer->path) : own_file(answer->lane);
}

static void add_entry(struct fo_answer *answer, char *output)
{
    if (count == most) {
        most = 2 * most + 1;
        entries = realloc(entries, most * sizeof *entries);
    }
    if (!entries)
        abort();
    entries[count++] = (struct entry){answer, output};
}

void batch_begin(const struct fo_exchange *exchange, struct fo_answer *answer)
{
    char *output = output_of(exchange, answer);
    if (count == 0)
        call_open(&call, answer->settings);
    call.number = count;
    call.output = output ? output : "/dev/null";
    command->arguments(exchange, &call);
    add_entry(answer, output);
}

static void settle(const struct fo_report *report)
{
    struct fo_answer *answer = entries[report->number].answer;
    const char *output = entries[report->number].output;
    answer->status = report->status;
    if (report->error)
        fo_fail(&answer->error, "%s", *report->error ? report->error : "failed without a reason");
    if (output)
        fo_content_is_in(answer, output);
    else
        answer->bytes = report->bytes;
}

static void finish_all(int exit_status)
{
    for (size_t i = 0; i < count; i++) {
        struct fo_answer *answer = entries[i].answer;
        if (!answer->status)
            fo_fail(&answer->error, "%s ended with exit status %d, and did not say why",
                    command->name, exit_status);
        free(entries[i].output);
        fo_finish(answer);
    }
    count = 0;
}

void batch_wait(void)
{
    const struct fo_settings settings = {.sink = FO_DISCARD};
    struct fo_answer output = {.settings = &settings};
    struct fo_buffer log = {0};
    struct fo_report report;
    int exit_status = call_run(&call, &output);
    call_log(&log);
    for (char *rest = log.data; command->report(&rest, &report);)
        if (report.number < count)
            settle(&report);
    fo_free(&log);
    call_close(&call);
    finish_all(exit_status);
}

void batch_reset(void)
{
    for (size_t i = 0; i < most; i++) {
        char *path = own_file(i);
        unlink(path);
        free(path);
    }
    rmdir(directory);
    free(directory);
    free(entries);
    directory = NULL;
    entries = NULL;
    most = 0;
}
