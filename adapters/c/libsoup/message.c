#include "message.h"

#include <stdlib.h>
#include <string.h>

void describe_soup(struct fo_description *us, const char *features)
{
    static char version[32];
    snprintf(version, sizeof version, "%u.%u.%u", soup_get_major_version(),
             soup_get_minor_version(), soup_get_micro_version());
    us->client = "libsoup";
    us->version = version;
    us->features = features;
}

static void trust(SoupSession *session, const char *path, struct fo_error *error)
{
    GError *failure = NULL;
    GTlsDatabase *authorities = g_tls_file_database_new(path, &failure);
    soup_session_set_tls_database(session, authorities);
    if (failure)
        fo_fail(error, "%s", failure->message);
    g_clear_error(&failure);
    g_clear_object(&authorities);
}

static void set_proxy(SoupSession *session, const char *proxy)
{
    GProxyResolver *resolver = proxy ? g_simple_proxy_resolver_new(proxy, NULL) : NULL;
    soup_session_set_proxy_resolver(session, resolver);
    g_clear_object(&resolver);
}

SoupSession *session_of(const struct fo_settings *settings, struct fo_error *error)
{
    int most = settings->concurrency > 10 ? settings->concurrency : 10;
    SoupSession *session = soup_session_new_with_options(
        "max-conns", most, "max-conns-per-host", settings->concurrency > 2 ? most : 2, NULL);
    /* A message of its own cannot say so before libsoup 3.4. */
    if (settings->protocol == FO_HTTP_1_1)
        setenv("SOUP_FORCE_HTTP1", "1", true);
    else
        unsetenv("SOUP_FORCE_HTTP1");
    set_proxy(session, settings->proxy);
    soup_session_set_timeout(session, (settings->read_ms + 999) / 1000); /* whole seconds */
    if (settings->cookies)
        soup_session_add_feature_by_type(session, SOUP_TYPE_COOKIE_JAR);
    if (!settings->decompress)
        soup_session_remove_feature_by_type(session, SOUP_TYPE_CONTENT_DECODER);
    if (settings->tls_ca)
        trust(session, settings->tls_ca, error);
    return session;
}

static SoupMessage *form_message(const struct fo_exchange *exchange)
{
    GData *fields = NULL;
    g_datalist_init(&fields);
    for (size_t i = 0; i < exchange->body.field_count; i++)
        g_datalist_set_data(&fields, exchange->body.fields[i].name,
                            (gpointer)exchange->body.fields[i].value);
    char *form = soup_form_encode_datalist(&fields);
    g_datalist_clear(&fields);
    return soup_message_new_from_encoded_form(exchange->method, exchange->url, form);
}

static SoupMessage *multipart_message(const struct fo_exchange *exchange)
{
    const struct fo_body *body = &exchange->body;
    SoupMultipart *parts = soup_multipart_new(SOUP_FORM_MIME_TYPE_MULTIPART);
    for (size_t i = 0; i < body->field_count; i++)
        soup_multipart_append_form_string(parts, body->fields[i].name, body->fields[i].value);
    for (size_t i = 0; i < body->file_count; i++) {
        const struct fo_file *file = &body->files[i];
        GMappedFile *mapped = g_mapped_file_new(file->path, FALSE, NULL);
        GBytes *content = mapped ? g_mapped_file_get_bytes(mapped) : g_bytes_new(NULL, 0);
        soup_multipart_append_form_file(parts, file->name, file->filename, file->content_type,
                                        content);
        g_bytes_unref(content);
        g_clear_pointer(&mapped, g_mapped_file_unref);
    }
    SoupMessage *message = soup_message_new_from_multipart(exchange->url, parts);
    soup_multipart_free(parts);
    return message;
}

static SoupMessage *content_message(const struct fo_exchange *exchange)
{
    const struct fo_body *body = &exchange->body;
    SoupMessage *message = soup_message_new(exchange->method, exchange->url);
    GBytes *content = NULL;
    if (body->kind == FO_RAW) {
        content = g_bytes_new_static(body->file.data, body->file.size);
    } else if (body->kind == FO_JSON) {
        struct fo_buffer text = {0};
        fo_print_body(&text, body);
        content = g_bytes_new_with_free_func(text.data, text.size, free, text.data);
    }
    if (content)
        soup_message_set_request_body_from_bytes(message, body->content_type, content);
    g_clear_pointer(&content, g_bytes_unref);
    return message;
}

SoupMessage *message_of(const struct fo_exchange *exchange, const struct fo_settings *settings)
{
    enum fo_body_kind kind = exchange->body.kind;
    SoupMessage *message = kind == FO_FORM        ? form_message(exchange)
                           : kind == FO_MULTIPART ? multipart_message(exchange)
                                                  : content_message(exchange);
    SoupMessageHeaders *fields = soup_message_get_request_headers(message);
    for (size_t i = 0; i < exchange->header_count; i++)
        soup_message_headers_append(fields, exchange->fields[i].name, exchange->fields[i].value);
    if (settings->reuse == FO_FRESH)
        soup_message_headers_append(fields, "Connection", "close");
    else if (settings->reuse == FO_REUSE || getenv("IDEMPOTENT"))
        /* without it, a POST opens a connection of its own */
        soup_message_add_flags(message, SOUP_MESSAGE_IDEMPOTENT);
    if (!settings->redirects)
        soup_message_add_flags(message, SOUP_MESSAGE_NO_REDIRECT);
    return message;
}

bool wants_whole(const struct fo_settings *settings)
{
    return settings->sink == FO_BUFFER || settings->sink == FO_PARSE;
}

void take_content(struct fo_answer *answer, GBytes *content)
{
    if (!content)
        return;
    fo_content_whole(answer, g_bytes_get_data(content, NULL), g_bytes_get_size(content));
    g_bytes_unref(content);
}

void take_error(struct fo_answer *answer, GError *failure)
{
    if (failure)
        fo_fail(&answer->error, "%s", failure->message);
    g_clear_error(&failure);
}
