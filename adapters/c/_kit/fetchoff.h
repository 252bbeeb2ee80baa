/* The C kit: all of an adapter that is not the library's. The contract is docs/protocol.md. */
#ifndef FETCHOFF_H
#define FETCHOFF_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes that grow. One that is all zeros is empty. */
struct fo_buffer {
    char *data;
    size_t size, room;
};

/* Makes room for so many bytes more, and returns where they go. */
char *fo_room(struct fo_buffer *buffer, size_t more);
void fo_append(struct fo_buffer *buffer, const void *data, size_t size);
void fo_print(struct fo_buffer *buffer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void fo_free(struct fo_buffer *buffer);

struct fo_error {
    char text[256];
};

/* Notes an error; later ones do not replace the first. */
void fo_fail(struct fo_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

struct fo_field {
    const char *name, *value;
};

struct fo_file {
    const char *name, *filename, *content_type, *path;
};

enum fo_body_kind { FO_NO_BODY, FO_FORM, FO_JSON, FO_MULTIPART, FO_RAW };

struct fo_body {
    enum fo_body_kind kind;
    const char *content_type; /* NULL for multipart and for no body */
    char *header;             /* the same as "Content-Type: …" */
    struct fo_field *fields;  /* form and multipart */
    size_t field_count;
    struct fo_file *files; /* multipart */
    size_t file_count;
    const json_t *json;
    const char *path;      /* raw */
    struct fo_buffer file; /* raw, after fo_read_bodies */
};

struct fo_exchange {
    const char *method, *url;
    struct fo_field *fields;
    char **headers; /* the same, each as "name: value" */
    size_t header_count;
    struct fo_body body;
    struct {
        int status;
        long long bytes; /* -1: any length */
        const char *json_name, *json_value;
    } expect;
    void *own; /* the adapter's, if it wants to keep something */
};

enum fo_protocol { FO_HTTP_1_1, FO_H2, FO_H2C };
enum fo_reuse { FO_EITHER, FO_REUSE, FO_FRESH };
enum fo_sink { FO_BUFFER, FO_PARSE, FO_DISCARD, FO_FILE };

/* A number that is 0, or a text that is NULL, leaves the choice to the library. */
struct fo_settings {
    enum fo_protocol protocol;
    enum fo_reuse reuse;
    enum fo_sink sink;
    size_t read_size;
    const char *directory;
    size_t concurrency;
    bool cookies, decompress;
    long redirects;
    long connect_ms, read_ms, total_ms;
    const char *tls_ca, *proxy;
    const json_t *options;
};

bool fo_option(const struct fo_settings *settings, const char *name, bool unless_given);

struct fo_workload {
    struct fo_exchange *exchanges;
    size_t count;
    struct fo_settings settings;
    json_t *document;        /* owns every text above */
    const char *unsupported; /* set by prepare: a feature that cannot be had with the others */
};

/* Reads the files of raw bodies into memory. */
void fo_read_bodies(struct fo_workload *workload, struct fo_error *error);

/* Writes a form, JSON or raw body as it goes over the wire. */
void fo_print_body(struct fo_buffer *out, const struct fo_body *body);
/* The same without a copy of a raw body: printed into the room only where it has to be. */
const struct fo_buffer *fo_body_content(const struct fo_body *body, struct fo_buffer *room);
void fo_print_escaped(struct fo_buffer *out, const char *text);

/* What became of an exchange. The adapter sets the status, hands over content, notes errors. */
struct fo_answer {
    int status;
    struct fo_error error;
    const struct fo_settings *settings;
    size_t lane; /* which of those in flight it is: 0 to concurrency - 1 */
    char *path;  /* where the sink "file" puts content */
    int file;
    unsigned long long bytes;
    long long parse_ns;
    struct fo_buffer buffer;
    struct fo_digest *digest; /* NULL: none asked for */
};

/* Hands over content that the library has read. False, and an error noted, if the sink fails. */
bool fo_content(struct fo_answer *answer, const void *data, size_t size);
/* The same for all of the content at once, which need not be kept: the library has it in memory. */
bool fo_content_whole(struct fo_answer *answer, const void *data, size_t size);
/* The same without a copy: room to read into, then how much was read. */
char *fo_content_room(struct fo_answer *answer, size_t size);
bool fo_content_read(struct fo_answer *answer, size_t size);
/* The client wrote the content to a file itself. */
void fo_content_is_in(struct fo_answer *answer, const char *path);
/* What was begun has come to its end. */
void fo_finish(struct fo_answer *answer);

struct fo_description {
    const char *client, *version, *runtime, *engine;
    const char *features; /* separated by blanks */
};

/* The cost of the processes that ended in a batch. */
struct fo_children {
    long long user_ns, system_ns, peak_kb;
};

struct fo_adapter {
    void (*describe)(struct fo_description *description, struct fo_error *error);
    void (*prepare)(struct fo_workload *workload, struct fo_error *error);
    /* From begin to end; by several threads at once if "concurrency" is one of the features. */
    void (*exchange)(const struct fo_exchange *exchange, struct fo_answer *answer);
    void (*reset)(struct fo_workload *workload); /* undoes prepare, even if it failed */
    struct fo_children *children;                /* NULL if the client starts no processes */

    /* In place of exchange, for a library with an event loop. An answer is handed to fo_finish
       at the end of its exchange, and the next one is begun when wait has returned. */
    void (*begin)(const struct fo_exchange *exchange, struct fo_answer *answer);
    void (*wait)(void); /* until something has happened; called again while any is in flight */
    bool ahead;         /* the whole batch is begun before wait; lanes are numbered throughout */
};

/* Serves the protocol until it ends; returns the exit status for main. */
int fo_serve(const struct fo_adapter *adapter);

#ifdef __cplusplus
}
#endif

#endif
