/* The kit for commands, started once for every exchange or once for a batch, over the C kit. */
#ifndef COMMAND_H
#define COMMAND_H

#include "fetchoff.h"

/* One start of the command. */
struct fo_call {
    const struct fo_settings *settings;
    size_t number;          /* of the exchange among those of this call */
    const char *output;     /* where the content is wanted: "-" or a file */
    bool head_first;        /* the output begins with the head of the answer */
    const char *cookies;    /* a file that lasts as long as the workload; NULL: no cookies wanted */
    struct fo_buffer input; /* what the command finds on its standard input */
    char **arguments;       /* the command's name first, NULL last */
    size_t count;
};

/* Adds arguments as they are; the last one given is NULL. */
void fo_arguments(struct fo_call *call, ...) __attribute__((sentinel));
/* Adds one argument. */
void fo_argument(struct fo_call *call, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* What the command says of one exchange out of many. */
struct fo_report {
    size_t number;
    int status;
    unsigned long long bytes;
    const char *error; /* NULL: none */
};

struct fo_command {
    const char *name;
    const char *features;   /* separated by blanks */
    const char *no_cookies; /* what a cookie file without cookies holds; NULL: nothing */
    /* Finds version and engine in what the command prints for --version. */
    void (*describe)(const char *text, struct fo_description *description);
    /* Adds what makes the command do the exchange. */
    void (*arguments)(const struct fo_exchange *exchange, struct fo_call *call);
    /* Finds the status in what came on standard error, or in the head that came first; 0: the
       exchange failed, and what is left in the log's last line says why. An exit status over 128 is
       a signal. */
    int (*status)(char *log, int exit_status);
    /* In place of status, for a command that does a batch in one process, and for which arguments
       is called for each exchange in turn. Takes the next report off the log; false: there is none
       left. */
    bool (*report)(char **log, struct fo_report *report);
};

/* Serves the protocol until it ends; returns the exit status for main. */
int fo_serve_command(const struct fo_command *command);

#endif
