#include "call.h"
#include "process.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct fo_command *command;
static struct fo_children children;
static int input = -1, log_file = -1;
static struct fo_buffer head;
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

void call_open(struct fo_call *call, const struct fo_settings *settings)
{
    *call = (struct fo_call){.settings = settings, .cookies = cookies};
    fo_arguments(call, command->name, NULL);
}

void call_close(struct fo_call *call)
{
    for (size_t i = 0; i < call->count; i++)
        free(call->arguments[i]);
    free(call->arguments);
    fo_free(&call->input);
}

enum { PIPE_CAPACITY = 64 * 1024 };

/* Takes the head off the output, and what has come of the content behind it. */
static void read_head(int pipe, struct fo_answer *answer)
{
    const char *end = NULL;
    ssize_t size;
    head.size = 0;
    while (!end && (size = read(pipe, fo_room(&head, PIPE_CAPACITY), PIPE_CAPACITY)) > 0) {
        head.size += size;
        end = memmem(head.data, head.size, "\r\n\r\n", 4);
    }
    if (!end)
        return;
    end += 4;
    fo_content(answer, end, head.data + head.size - end);
    head.size = end - head.data;
}

static void read_content(int pipe, struct fo_answer *answer)
{
    ssize_t size;
    do
        size = read(pipe, fo_content_room(answer, PIPE_CAPACITY), PIPE_CAPACITY);
    while (size > 0 && fo_content_read(answer, size));
}

int call_run(struct fo_call *call, struct fo_answer *answer)
{
    struct process process;
    if (!memory_file_set(input, &call->input, &answer->error) ||
        !memory_file_set(log_file, &(struct fo_buffer){0}, &answer->error) ||
        !process_start(&process, call->arguments, input, log_file, &answer->error))
        return -1;
    if (call->head_first)
        read_head(process.output, answer);
    read_content(process.output, answer);
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

void call_log(struct fo_buffer *text)
{
    fo_append(text, head.data, head.size);
    memory_file_get(log_file, text);
    fo_append(text, "", 1);
}

static void read_log(int exit_status, struct fo_answer *answer)
{
    struct fo_buffer text = {0};
    call_log(&text);
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
    struct fo_call call;
    call_open(&call, answer->settings);
    call.output = to_file ? answer->path : "-";
    command->arguments(exchange, &call);
    int exit_status = call_run(&call, answer);
    if (exit_status >= 0)
        read_log(exit_status, answer);
    if (to_file && !call.head_first)
        fo_content_is_in(answer, answer->path);
    call_close(&call);
}

char *temporary_name(const struct fo_settings *settings, const char *purpose)
{
    char *name;
    const char *place = settings->directory;
    if (!place)
        place = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
    if (asprintf(&name, "%s/fetchoff-%s-XXXXXX", place, purpose) < 0)
        abort();
    return name;
}

static void make_cookie_file(const struct fo_settings *settings, struct fo_error *error)
{
    cookies = temporary_name(settings, "cookies");
    int file = mkstemp(cookies);
    const char *text = command->no_cookies ? command->no_cookies : "";
    if (file < 0 || write(file, text, strlen(text)) < 0)
        fo_fail(error, "%s: %s", cookies, strerror(errno));
    if (file >= 0)
        close(file);
}

static void prepare(struct fo_workload *workload, struct fo_error *error)
{
    /* What a command leaves there is removed with it: wget2 the file that locked its cookies. */
    if (workload->settings.directory)
        setenv("TMPDIR", workload->settings.directory, 1);
    /* curl only warns of a body that it cannot read, and sends an empty one. */
    for (size_t i = 0; i < workload->count; i++) {
        const char *path = workload->exchanges[i].body.path;
        if (path && access(path, R_OK) < 0)
            fo_fail(error, "%s: %s", path, strerror(errno));
    }
    if (workload->settings.cookies)
        make_cookie_file(&workload->settings, error);
    if (command->report)
        batch_prepare(workload, error);
}

static void reset(struct fo_workload *workload)
{
    (void)workload;
    if (command->report)
        batch_reset();
    if (cookies)
        unlink(cookies);
    free(cookies);
    cookies = NULL;
}

static void describe(struct fo_description *us, struct fo_error *error)
{
    const struct fo_settings settings = {.sink = FO_BUFFER};
    struct fo_answer answer = {.settings = &settings};
    struct fo_call call;
    us->client = command->name;
    us->features = command->features;
    input = memory_file("input", error);
    log_file = memory_file("log", error);
    call_open(&call, &settings);
    fo_arguments(&call, "--version", NULL);
    if (call_run(&call, &answer) == 0) {
        fo_append(&answer.buffer, "", 1);
        command->describe(answer.buffer.data, us);
    }
    fo_fail(error, "%s", answer.error.text);
    if (!us->version || !*us->version)
        fo_fail(error, "%s does not say which version it is", command->name);
    fo_free(&answer.buffer);
    call_close(&call);
}

/* Only the settings may name a proxy. */
static void forget_proxies(void)
{
    static const char *const names[] = {"http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY",
                                        "all_proxy",  "ALL_PROXY",  "no_proxy",    "NO_PROXY"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
}

int fo_serve_command(const struct fo_command *served)
{
    command = served;
    forget_proxies();
    struct fo_adapter adapter = {
        .describe = describe, .prepare = prepare, .reset = reset, .children = &children};
    if (command->report) {
        adapter.begin = batch_begin;
        adapter.wait = batch_wait;
        adapter.ahead = true;
    } else {
        adapter.exchange = exchange;
    }
    return fo_serve(&adapter);
}
