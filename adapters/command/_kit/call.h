/* What the kit's own files share: a call of the command, and a batch in one call. */
#ifndef CALL_H
#define CALL_H

#include "command.h"

extern const struct fo_command *command;

/* With the command's name as its first argument. */
void call_open(struct fo_call *call, const struct fo_settings *settings);
void call_close(struct fo_call *call);

/* Runs the command, takes its output as content, and returns its exit status, or -1. */
int call_run(struct fo_call *call, struct fo_answer *answer);
/* What the last call wrote on standard error, behind the head if that came first. */
void call_log(struct fo_buffer *text);

/* A pattern for mkstemp or mkdtemp, to be freed. */
char *temporary_name(const struct fo_settings *settings, const char *purpose);

void batch_prepare(struct fo_workload *workload, struct fo_error *error);
void batch_begin(const struct fo_exchange *exchange, struct fo_answer *answer);
void batch_wait(void);
void batch_reset(void);

#endif
