/* The transfers of a batch are described in a configuration that one curl reads, with "next"
   between them: everything.curl.dev, "Multiple transfers". */
#include "options.h"

#include <stdio.h>
#include <string.h>

/* As a configuration file quotes: curl(1), --config. */
static void print_quoted(struct fo_buffer *out, const char *text, size_t size)
{
    static const char special[] = "\\\"\t\n\r\v", escape[] = "\\\"tnrv";
    fo_append(out, "\"", 1);
    for (size_t i = 0; i < size; i++) {
        const char *found = memchr(special, text[i], strlen(special));
        if (found)
            fo_print(out, "\\%c", escape[found - special]);
        else
            fo_append(out, &text[i], 1);
    }
    fo_append(out, "\"", 1);
}

void option(struct fo_call *call, const char *name, const char *value)
{
    fo_print(&call->input, "%s", name);
    if (value) {
        fo_print(&call->input, " = ");
        print_quoted(&call->input, value, strlen(value));
    }
    fo_print(&call->input, "\n");
}

void option_content(struct fo_call *call, const char *name, const struct fo_buffer *content)
{
    fo_print(&call->input, "%s = ", name);
    print_quoted(&call->input, content->data, content->size);
    fo_print(&call->input, "\n");
}

static void start(struct fo_call *call)
{
    /* Silence does not extend to the meter of --parallel. */
    fo_arguments(call, "--disable", "--silent", "--no-progress-meter", "--config", "-", NULL);
    if (call->settings->concurrency > 1) {
        fo_arguments(call, "--parallel", "--parallel-max", NULL);
        fo_argument(call, "%zu", call->settings->concurrency);
    }
}

static void arguments(const struct fo_exchange *exchange, struct fo_call *call)
{
    if (call->number == 0)
        start(call);
    else
        option(call, "next", NULL);
    fo_print(&call->input,
             "write-out = \"%%{stderr}transfer %zu: %%{http_code} %%{size_download} "
             "%%{exitcode} %%{errormsg}\\n\"\n",
             call->number);
    options_of(exchange, call);
}

static bool report(char **log, struct fo_report *report)
{
    char *line;
    while ((line = strsep(log, "\n"))) {
        int code, length;
        if (sscanf(line, "transfer %zu: %d %llu %d %n", &report->number, &report->status,
                   &report->bytes, &code, &length) != 4)
            continue;
        report->error = code ? line + length : NULL;
        return true;
    }
    return false;
}

int main(void)
{
    return fo_serve_command(&(struct fo_command){
        .name = "curl",
        .features = FEATURES " connection.reuse concurrency",
        .describe = describe,
        .arguments = arguments,
        .report = report,
    });
}
