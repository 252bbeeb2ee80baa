/* JSON documents, by what documents.cpp is built into. It is loaded for the sink "json" alone: a
   C++ library would make every client start later, and need 1.5 MB more. */
#include "internal.h"

#include <dlfcn.h>

enum { READ_BEYOND = 64 }; /* what simdjson wants to read beyond the end, in any of its versions */

static struct {
    bool (*parse)(const char *content, size_t size, size_t room);
    bool (*has)(const char *name, const char *text);
} document;

void fo_documents_load(struct fo_error *error)
{
    void *library = dlopen("documents.so", RTLD_NOW); /* beside the program: build.sh */
    if (!library) {
        fo_fail(error, "prepare: %s", dlerror());
        return;
    }
    document.parse = dlsym(library, "fo_document_parse");
    document.has = dlsym(library, "fo_document_has");
}

void fo_document_check(struct fo_answer *answer, const char *name, const char *text)
{
    struct fo_buffer *content = &answer->buffer;
    fo_room(content, READ_BEYOND);
    long long begin = fo_now_ns();
    bool is_json = document.parse(content->data, content->size, content->room);
    answer->parse_ns = fo_now_ns() - begin;
    if (!is_json)
        fo_fail(&answer->error, "the content is not JSON");
    else if (name && !document.has(name, text))
        fo_fail(&answer->error, "the member \"%s\" is not \"%s\"", name, text);
}
