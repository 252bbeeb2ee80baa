#include "options.h"

#include <stdlib.h>
#include <string.h>

void option(struct fo_call *call, const char *name, const char *value)
{
    fo_argument(call, "--%s", name);
    if (value)
        fo_arguments(call, value, NULL);
}

void option_content(struct fo_call *call, const char *name, const struct fo_buffer *content)
{
    option(call, name, "@-");
    fo_append(&call->input, content->data, content->size);
}

static void arguments(const struct fo_exchange *exchange, struct fo_call *call)
{
    fo_arguments(call, "--disable", "--silent", "--show-error", NULL);
    option(call, "write-out", "%{stderr}%{http_code}");
    options_of(exchange, call);
}

/* The status is what --write-out put last; advice may follow the error. */
static int status(char *log, int exit_status)
{
    size_t length = strlen(log);
    char *code = log + (length < 3 ? 0 : length - 3);
    int status = atoi(code);
    *code = '\0';
    char *reason = strstr(log, "curl: (");
    if (reason)
        reason[strcspn(reason, "\n")] = '\0';
    return exit_status == 0 ? status : 0;
}

int main(void)
{
    return fo_serve_command(&(struct fo_command){
        .name = "curl",
        .features = FEATURES " h2c connection.fresh",
        .describe = describe,
        .arguments = arguments,
        .status = status,
    });
}
