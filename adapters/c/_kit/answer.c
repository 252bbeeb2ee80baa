/* Where content goes, and whether an answer is the expected one. */
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Member by member: to clear the error's whole text is 0.1 % of what libcurl does. */
void fo_answer_open(struct fo_answer *answer, const struct fo_settings *settings, size_t lane,
                    struct fo_digest *digest)
{
    answer->status = 0;
    answer->error.text[0] = '\0';
    answer->settings = settings;
    answer->lane = lane;
    answer->path = NULL;
    answer->file = -1;
    answer->bytes = 0;
    answer->parse_ns = 0;
    answer->buffer.size = 0;
    answer->digest = digest;
    if (digest)
        sha256_init(&digest->context);
    if (settings->sink == FO_FILE &&
        asprintf(&answer->path, "%s/content-%zu", settings->directory, lane) < 0)
        abort();
}

void fo_answer_close(struct fo_answer *answer)
{
    free(answer->path);
    if (answer->file >= 0)
        close(answer->file);
}

static bool is_kept(const struct fo_answer *answer)
{
    return answer->settings->sink == FO_BUFFER || answer->settings->sink == FO_PARSE;
}

/* Opened with the first content: a client may write its file itself. */
static bool open_file(struct fo_answer *answer)
{
    answer->file = open(answer->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    return answer->file >= 0;
}

static bool write_whole(struct fo_answer *answer, const char *data, size_t size)
{
    bool is_open = answer->file >= 0 || open_file(answer);
    while (size) {
        ssize_t written = is_open ? write(answer->file, data, size) : -1;
        if (written < 0) {
            fo_fail(&answer->error, "%s: %s", answer->path, strerror(errno));
            return false;
        }
        data += written;
        size -= written;
    }
    return true;
}

static void take(struct fo_answer *answer, const void *data, size_t size)
{
    answer->bytes += size;
    if (answer->digest)
        sha256_update(&answer->digest->context, size, data);
}

static bool file_away(struct fo_answer *answer, const void *data, size_t size)
{
    return answer->settings->sink != FO_FILE || write_whole(answer, data, size);
}

static bool pass_on(struct fo_answer *answer, const void *data, size_t size)
{
    take(answer, data, size);
    return file_away(answer, data, size);
}

bool fo_content(struct fo_answer *answer, const void *data, size_t size)
{
    if (is_kept(answer))
        fo_append(&answer->buffer, data, size);
    return pass_on(answer, data, size);
}

/* A document is copied to where the parser may read beyond its end. */
bool fo_content_whole(struct fo_answer *answer, const void *data, size_t size)
{
    if (answer->settings->sink == FO_PARSE)
        fo_append(&answer->buffer, data, size);
    return pass_on(answer, data, size);
}

static _Thread_local struct fo_buffer scratch;

char *fo_content_room(struct fo_answer *answer, size_t size)
{
    return fo_room(is_kept(answer) ? &answer->buffer : &scratch, size);
}

/* Takes what was read into the room, and returns it. */
static const char *take_room(struct fo_answer *answer, size_t size)
{
    const char *data = scratch.data;
    if (is_kept(answer)) {
        data = answer->buffer.data + answer->buffer.size;
        answer->buffer.size += size;
    }
    take(answer, data, size);
    return data;
}

bool fo_content_read(struct fo_answer *answer, size_t size)
{
    return file_away(answer, take_room(answer, size), size);
}

static void read_file(struct fo_answer *answer, int file)
{
    enum { STEP = 64 * 1024 };
    ssize_t size;
    while ((size = read(file, fo_content_room(answer, STEP), STEP)) > 0)
        take_room(answer, size);
}

void fo_content_is_in(struct fo_answer *answer, const char *path)
{
    struct stat about;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &about) < 0)
        fo_fail(&answer->error, "%s: %s", path, strerror(errno));
    else if (is_kept(answer) || answer->digest)
        read_file(answer, file);
    else
        answer->bytes = about.st_size;
    if (file >= 0)
        close(file);
}

void fo_answer_check(struct fo_answer *answer, const struct fo_exchange *exchange)
{
    if (answer->error.text[0])
        return;
    if (answer->status != exchange->expect.status)
        fo_fail(&answer->error, "status %d, expected %d", answer->status, exchange->expect.status);
    else if (exchange->expect.bytes >= 0 &&
             answer->bytes != (unsigned long long)exchange->expect.bytes)
        fo_fail(&answer->error, "%llu bytes of content, expected %lld", answer->bytes,
                exchange->expect.bytes);
    else if (answer->settings->sink == FO_PARSE)
        fo_document_check(answer, exchange->expect.json_name, exchange->expect.json_value);
}
