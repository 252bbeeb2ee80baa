/* One child process, and what it cost. */
#ifndef PROCESS_H
#define PROCESS_H

#include "fetchoff.h"

#include <sys/types.h>

struct process {
    pid_t pid;
    int output; /* a pipe from its standard output */
};

/* Starts the program, found on PATH, with standard input and standard error as given. */
bool process_start(struct process *process, char *const *arguments, int input, int log,
                   struct fo_error *error);
/* Waits for its end and adds its cost; returns its exit status, or 128 + the signal. */
int process_end(struct process *process, struct fo_children *children);

/* A file in memory, or -1 and an error noted. */
int memory_file(const char *name, struct fo_error *error);
/* Empties the file and puts the data there, to be read from the start. */
bool memory_file_set(int file, const struct fo_buffer *data, struct fo_error *error);
void memory_file_get(int file, struct fo_buffer *data);

#endif
