#include "command.h"
#include "process.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct fo_command *command;
static struct fo_children children;
static int input = -1, log_file = -1;
static char *cookies;

static void add(struct fo_call *call, char *argument)
{
    call->arguments = realloc(call->arguments, (call->count + 2) * sizeof *call->arguments);
    if (!argument || !call->arguments)
        abort();
    call->arguments[call->count++] = argument;
    call->arguments[call->count] = NULL;
}

void fo_arguments(struct fo_call *call, ...)
{
    const char *argument;
    va_list arguments;
    va_start(arguments, call);
    while ((argument = va_arg(arguments, const char *)))
        add(call, strdup(argument));
    va_end(arguments);
}

void fo_argument(struct fo_call *call, const char *format, ...)
{
    char *argument = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&argument, format, arguments) < 0)
        argument = NULL;
    va_end(arguments);
    add(call, argument);
}

static void free_call(struct fo_call *call)
{
    for (size_t i = 0; i < call->count; i++)
        free(call->arguments[i]);
    free(call->arguments);
    fo_free(&call->input);
}

static void read_output(int pipe, struct fo_answer *answer)
{
    enum { PIPE_CAPACITY = 64 * 1024 };
    ssize_t size;
    do
        size = read(pipe, fo_content_room(answer, PIPE_CAPACITY), PIPE_CAPACITY);
    while (size > 0 && fo_content_read(answer, size));
}

/* Runs the command, takes its output as content, and returns its exit status, or -1. */
static int run(struct fo_call *call, struct fo_answer *answer)
{
    struct process process;
    if (!memory_file_set(input, &call->input, &answer->error) ||
        !memory_file_set(log_file, &(struct fo_buffer){0}, &answer->error) ||
        !process_start(&process, call->arguments, input, log_file, &answer->error))
        return -1;
    read_output(process.output, answer);
    return process_end(&process, &children);
}

/* The last line, unless it is indented, as a listing is, and so gives no reason. */
static const char *last_line(char *text)
{
    size_t length = strlen(text);
    while (length && strchr(" \r\n", text[length - 1]))
        text[--length] = '\0';
    const char *line = strrchr(text, '\n');
    line = line ? line + 1 : text;
    return *line == ' ' ? "" : line;
}

static void read_log(int exit_status, struct fo_answer *answer)
{
    struct fo_buffer text = {0};
    memory_file_get(log_file, &text);
    fo_append(&text, "", 1);
    answer->status = command->status(text.data, exit_status);
    const char *reason = last_line(text.data);
    if (answer->status == 0 && *reason)
        fo_fail(&answer->error, "%s", reason);
    else if (answer->status == 0)
        fo_fail(&answer->error, "%s ended with exit status %d", command->name, exit_status);
    fo_free(&text);
}

static void exchange(const struct fo_exchange *exchange, struct fo_answer *answer)
{
    bool to_file = answer->settings->sink == FO_FILE;
    struct fo_call call = {
        .settings = answer->settings,
        .output = to_file ? answer->settings->file : "-",
        .cookies = cookies,
    };
    fo_arguments(&call, command->name, NULL);
    command->arguments(exchange, &call);
    int exit_status = run(&call, answer);
    if (exit_status >= 0)
        read_log(exit_status, answer);
    if (to_file)
        fo_content_is_in_file(answer);
    free_call(&call);
}

static void make_cookie_file(const struct fo_settings *settings, struct fo_error *error)
{
    const char *place = settings->directory;
    if (!place)
        place = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
    if (asprintf(&cookies, "%s/fetchoff-cookies-XXXXXX", place) < 0)
        abort();
    int file = mkstemp(cookies);
    if (file < 0)
        fo_fail(error, "%s: %s", cookies, strerror(errno));
    else
        close(file);
}

static void prepare(struct fo_workload *workload, struct fo_error *error)
{
    /* curl only warns of a body that it cannot read, and sends an empty one. */
    for (size_t i = 0; i < workload->count; i++) {
        const char *path = workload->exchanges[i].body.path;
        if (path && access(path, R_OK) < 0)
            fo_fail(error, "%s: %s", path, strerror(errno));
    }
    if (workload->settings.cookies)
        make_cookie_file(&workload->settings, error);
}

static void reset(struct fo_workload *workload)
{
    (void)workload;
    if (cookies)
        unlink(cookies);
    free(cookies);
    cookies = NULL;
}

static void describe(struct fo_description *us, struct fo_error *error)
{
    const struct fo_settings settings = {.sink = FO_BUFFER};
    struct fo_answer answer = {.settings = &settings};
    struct fo_call call = {0};
    us->client = command->name;
    us->features = command->features;
    input = memory_file("input", error);
    log_file = memory_file("log", error);
    fo_arguments(&call, command->name, "--version", NULL);
    if (run(&call, &answer) == 0) {
        fo_append(&answer.buffer, "", 1);
        command->describe(answer.buffer.data, us);
    }
    fo_fail(error, "%s", answer.error.text);
    if (!us->version || !*us->version)
        fo_fail(error, "%s does not say which version it is", command->name);
    fo_free(&answer.buffer);
    free_call(&call);
}

int fo_serve_command(const struct fo_command *served)
{
    command = served;
    return fo_serve(&(struct fo_adapter){describe, prepare, exchange, reset, &children});
}
