/* What the kit's own files share. */
#ifndef FETCHOFF_INTERNAL_H
#define FETCHOFF_INTERNAL_H

#include "fetchoff.h"

#include <nettle/sha2.h>

/* Nettle's SHA-256 uses the processor's instructions for it, in a library of 0.3 MB. OpenSSL's
   libcrypto does so too, but has 4.7 MB, which would count as the client's memory. */
struct fo_digest {
    struct sha256_ctx context;
};

struct fo_run {
    long long n, busy_ns;
    bool digest;
};

/* Fails with an error noted; fo_workload_free is due in any case. */
void fo_workload_read(struct fo_workload *workload, json_t *message, struct fo_error *error);
void fo_workload_free(struct fo_workload *workload);

/* The buffer of the answer before, or a zeroed one, is filled anew; it is the caller's to free. */
void fo_answer_open(struct fo_answer *answer, const struct fo_settings *settings, size_t lane,
                    struct fo_digest *digest);
void fo_answer_check(struct fo_answer *answer, const struct fo_exchange *exchange);
void fo_answer_close(struct fo_answer *answer);

long long fo_now_ns(void);

/* Before the first check of a document. */
void fo_documents_load(struct fo_error *error);
/* Parses the content, and notes an error if it does not have the member; NULL: any document will
 * do. */
void fo_document_check(struct fo_answer *answer, const char *name, const char *text);

/* Runs a batch, and returns the protocol's answer to it. */
json_t *fo_batch(const struct fo_adapter *adapter, const struct fo_workload *workload,
                 const struct fo_run *run);

/* Has so many threads do the work, each with its number, and waits for all of them. */
void fo_crew_do(void (*work)(size_t number, void *data), void *data, size_t count);
void fo_crew_dismiss(void);

/* An error as the protocol's answer. */
json_t *fo_error_answer(const struct fo_error *error);
/* The text as JSON, bytes that are not UTF-8 replaced. */
json_t *fo_text(const char *text);

#endif
