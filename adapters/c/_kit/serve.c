/* The protocol loop: one JSON object a line in, one out. */
#include "internal.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __clang__
#define COMPILER ""
#else
#define COMPILER "gcc "
#endif

struct session {
    const struct fo_adapter *adapter;
    struct fo_description description;
    struct fo_error error; /* why there is no client to serve */
    struct fo_workload workload;
    bool opened; /* the adapter has been asked to prepare */
    bool prepared, finished;
};

static json_t *failure(const char *text)
{
    return json_pack("{s:s}", "error", text);
}

static json_t *feature_list(const char *features)
{
    json_t *list = json_array();
    for (size_t length; *(features += strspn(features, " ")); features += length) {
        length = strcspn(features, " ");
        json_array_append_new(list, json_stringn(features, length));
    }
    return list;
}

static bool has_feature(const char *features, const char *wanted)
{
    size_t length = strlen(wanted);
    for (const char *at = features; length && (at = strstr(at, wanted)); at++)
        if ((at == features || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return true;
    return false;
}

static json_t *hello(struct session *session, const json_t *request)
{
    if (json_integer_value(json_object_get(request, "protocol")) != 1)
        return failure("hello: this adapter speaks protocol 1");
    const struct fo_description *us = &session->description;
    return json_pack("{s:i, s:s, s:s, s:s, s:s, s:o}", "protocol", 1, "client", us->client,
                     "version", us->version, "runtime", us->runtime, "engine", us->engine,
                     "features", feature_list(us->features));
}

static void drop(struct session *session)
{
    fo_crew_dismiss();
    if (session->opened)
        session->adapter->reset(&session->workload);
    fo_workload_free(&session->workload);
    session->opened = session->prepared = false;
}

static json_t *prepare(struct session *session, json_t *request)
{
    drop(session);
    size_t i;
    json_t *feature, *required = json_object_get(request, "require");
    if (!json_is_array(required))
        return failure("prepare: \"require\" is not a list");
    json_array_foreach (required, i, feature) {
        const char *name = json_string_value(feature);
        if (!name)
            return failure("prepare: \"require\" is not a list of texts");
        if (!has_feature(session->description.features, name))
            return json_pack("{s:s}", "unsupported", name);
    }
    struct fo_error error = {""};
    fo_workload_read(&session->workload, request, &error);
    if (!error.text[0]) {
        session->opened = true;
        session->adapter->prepare(&session->workload, &error);
    }
    if (error.text[0])
        return fo_error_answer(&error);
    if (session->workload.unsupported)
        return json_pack("{s:s}", "unsupported", session->workload.unsupported);
    session->prepared = true;
    return json_pack("{s:b}", "ready", 1);
}

static json_t *run(struct session *session, const json_t *request)
{
    json_t *n = json_object_get(request, "n");
    const struct fo_run run = {
        .n = json_integer_value(n),
        .busy_ns = json_integer_value(json_object_get(request, "busy_ns")),
        .digest = json_is_true(json_object_get(request, "digest")),
    };
    if (!session->prepared)
        return failure("run: nothing has been prepared");
    if (!json_is_integer(n) || run.n < 0)
        return failure("run: \"n\" is not a count");
    if (run.digest && run.n != 1)
        return failure("run: a digest is made of one iteration only");
    return fo_batch(session->adapter, &session->workload, &run);
}

static json_t *answer(struct session *session, json_t *request)
{
    const char *op = json_string_value(json_object_get(request, "op"));
    if (session->error.text[0])
        return fo_error_answer(&session->error);
    if (!op)
        return failure("the message has no \"op\"");
    if (strcmp(op, "hello") == 0)
        return hello(session, request);
    if (strcmp(op, "prepare") == 0)
        return prepare(session, request);
    if (strcmp(op, "run") == 0)
        return run(session, request);
    if (strcmp(op, "finish") == 0) {
        session->finished = true;
        return json_pack("{s:b}", "finished", 1);
    }
    return failure("the \"op\" is unknown");
}

static json_t *answer_line(struct session *session, const char *line, size_t length)
{
    json_error_t complaint;
    json_t *request = json_loadb(line, length, 0, &complaint);
    if (!request) {
        struct fo_error error = {""};
        fo_fail(&error, "the message cannot be read: %s", complaint.text);
        return fo_error_answer(&error);
    }
    json_t *reply = answer(session, request);
    json_decref(request);
    return reply;
}

static bool send_line(FILE *out, json_t *reply)
{
    bool sent =
        json_dumpf(reply, out, JSON_COMPACT) == 0 && fputc('\n', out) != EOF && fflush(out) == 0;
    json_decref(reply);
    return sent;
}

/* The protocol's own stream; what a library prints goes to standard error from here on. */
static FILE *take_stdout(void)
{
    int descriptor = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (descriptor < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        return NULL;
    return fdopen(descriptor, "w");
}

static void serve(struct session *session, FILE *out)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    while (!session->finished && (length = getline(&line, &room, stdin)) > 0)
        if (!send_line(out, answer_line(session, line, length)))
            break;
    free(line);
    drop(session);
}

int fo_serve(const struct fo_adapter *adapter)
{
    struct session session = {
        .adapter = adapter,
        .description = {.runtime = "C, " COMPILER __VERSION__, .engine = ""},
    };
    FILE *out = take_stdout();
    if (!out) {
        perror("standard output");
        return EXIT_FAILURE;
    }
    adapter->describe(&session.description, &session.error);
    serve(&session, out);
    fclose(out);
    return EXIT_SUCCESS;
}
