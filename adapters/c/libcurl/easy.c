#include "easy.h"

#include <string.h>

/* 7.88 breaks a connection that it reuses by prior knowledge: github.com/curl/curl/issues/10634. */
static bool speaks_h2c(const curl_version_info_data *info)
{
    return info->features & CURL_VERSION_HTTP2 && info->version_num >> 8 != 0x0758;
}

static void print_features(struct fo_buffer *out, const curl_version_info_data *info)
{
    int optional = info->features;
    fo_print(out, "http/1.1 proxy method.get method.head method.post method.put "
                  "body.form body.json body.multipart body.raw headers "
                  "connection.reuse connection.fresh "
                  "sink.buffer sink.json sink.discard sink.file read-size "
                  "cookies redirects timeout.connect timeout.total option.tcp_nodelay inject.busy");
    if (optional & CURL_VERSION_SSL)
        fo_print(out, " tls");
    if (optional & CURL_VERSION_HTTP2)
        fo_print(out, " h2");
    if (speaks_h2c(info))
        fo_print(out, " h2c");
    if (optional & CURL_VERSION_LIBZ)
        fo_print(out, " decompression coding.deflate");
    if (optional & CURL_VERSION_BROTLI)
        fo_print(out, " coding.br");
    if (optional & CURL_VERSION_ZSTD)
        fo_print(out, " coding.zstd");
}

void easy_describe(struct fo_description *us, const char *more, struct fo_error *error)
{
    static struct fo_buffer features;
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        fo_fail(error, "libcurl cannot be initialised");
    const curl_version_info_data *info = curl_version_info(CURLVERSION_NOW);
    print_features(&features, info);
    fo_print(&features, " %s", more);
    us->client = "libcurl";
    us->version = info->version;
    us->features = features.data;
}

static size_t on_content(char *data, size_t size, size_t count, void *answer)
{
    return fo_content(answer, data, size * count) ? size * count : CURL_WRITEFUNC_ERROR;
}

static long version_of(enum fo_protocol protocol)
{
    static const long versions[] = {
        [FO_HTTP_1_1] = CURL_HTTP_VERSION_1_1,
        [FO_H2] = CURL_HTTP_VERSION_2TLS,
        [FO_H2C] = CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE,
    };
    return versions[protocol];
}

void easy_open(struct easy *easy, const struct fo_settings *settings)
{
    CURL *curl = easy->curl = curl_easy_init();
    bool fresh = settings->reuse == FO_FRESH;
    curl_easy_setopt(curl, CURLOPT_HTTP_VERSION, version_of(settings->protocol));
    curl_easy_setopt(curl, CURLOPT_PIPEWAIT, (long)(settings->protocol != FO_HTTP_1_1));
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, easy->problem);
    curl_easy_setopt(curl, CURLOPT_PRIVATE, easy);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_content);
    curl_easy_setopt(curl, CURLOPT_FRESH_CONNECT, (long)fresh);
    curl_easy_setopt(curl, CURLOPT_FORBID_REUSE, (long)fresh);
    curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, (long)(settings->redirects > 0));
    curl_easy_setopt(curl, CURLOPT_MAXREDIRS, settings->redirects);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, settings->connect_ms);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, settings->total_ms);
    curl_easy_setopt(curl, CURLOPT_TCP_NODELAY, (long)fo_option(settings, "tcp_nodelay", true));
    curl_easy_setopt(curl, CURLOPT_COOKIEFILE, settings->cookies ? "" : NULL);
    curl_easy_setopt(curl, CURLOPT_ACCEPT_ENCODING, settings->decompress ? "" : NULL);
    curl_easy_setopt(curl, CURLOPT_PROXY, settings->proxy ? settings->proxy : "");
    if (settings->read_size)
        curl_easy_setopt(curl, CURLOPT_BUFFERSIZE, (long)settings->read_size);
    if (settings->tls_ca)
        curl_easy_setopt(curl, CURLOPT_CAINFO, settings->tls_ca);
}

void easy_close(struct easy *easy)
{
    curl_easy_cleanup(easy->curl);
}

static void print_form(struct fo_buffer *out, CURL *curl, const struct fo_body *body)
{
    for (size_t i = 0; i < body->field_count; i++) {
        char *name = curl_easy_escape(curl, body->fields[i].name, 0);
        char *value = curl_easy_escape(curl, body->fields[i].value, 0);
        fo_print(out, "%s%s=%s", i ? "&" : "", name, value);
        curl_free(name);
        curl_free(value);
    }
}

static curl_mime *parts(CURL *curl, const struct fo_body *body)
{
    curl_mime *mime = curl_mime_init(curl);
    for (size_t i = 0; i < body->field_count; i++) {
        curl_mimepart *part = curl_mime_addpart(mime);
        curl_mime_name(part, body->fields[i].name);
        curl_mime_data(part, body->fields[i].value, CURL_ZERO_TERMINATED);
    }
    for (size_t i = 0; i < body->file_count; i++) {
        curl_mimepart *part = curl_mime_addpart(mime);
        curl_mime_name(part, body->files[i].name);
        curl_mime_filedata(part, body->files[i].path);
        curl_mime_filename(part, body->files[i].filename);
        curl_mime_type(part, body->files[i].content_type);
    }
    return mime;
}

static struct curl_slist *header_list(const struct fo_exchange *exchange, bool is_put)
{
    const struct fo_body *body = &exchange->body;
    struct curl_slist *list = NULL;
    for (size_t i = 0; i < exchange->header_count; i++)
        list = curl_slist_append(list, exchange->headers[i]);
    if (body->header && (is_put || body->kind != FO_FORM)) /* POSTFIELDS says that it is a form */
        list = curl_slist_append(list, body->header);
    return list;
}

static void set_content(struct easy *easy, const struct fo_body *body, bool is_put)
{
    CURL *curl = easy->curl;
    const struct fo_buffer *content = body->kind == FO_RAW ? &body->file : &easy->text;
    if (body->kind == FO_FORM)
        print_form(&easy->text, curl, body);
    else if (body->kind == FO_JSON)
        fo_print_body(&easy->text, body);

    if (is_put) {
        easy->upload = fmemopen(content->data, content->size, "rb");
        curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L);
        curl_easy_setopt(curl, CURLOPT_READDATA, easy->upload);
        curl_easy_setopt(curl, CURLOPT_INFILESIZE_LARGE, (curl_off_t)content->size);
    } else if (body->kind == FO_MULTIPART) {
        easy->mime = parts(curl, body);
        curl_easy_setopt(curl, CURLOPT_MIMEPOST, easy->mime);
    } else {
        curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)content->size);
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, content->size ? content->data : "");
    }
}

void easy_begin(struct easy *easy, const struct fo_exchange *exchange, struct fo_answer *answer)
{
    CURL *curl = easy->curl;
    bool is_put = strcmp(exchange->method, "PUT") == 0;
    easy->answer = answer;
    easy->headers = header_list(exchange, is_put);
    curl_easy_setopt(curl, CURLOPT_HTTPGET, 1L); /* and no longer the last exchange's method */
    curl_easy_setopt(curl, CURLOPT_URL, exchange->url);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, easy->headers);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, answer);
    if (strcmp(exchange->method, "HEAD") == 0)
        curl_easy_setopt(curl, CURLOPT_NOBODY, 1L);
    else if (is_put || strcmp(exchange->method, "POST") == 0)
        set_content(easy, &exchange->body, is_put);
}

void easy_finish(struct easy *easy, CURLcode result)
{
    long status = 0;
    if (result != CURLE_OK)
        fo_fail(&easy->answer->error, "%s",
                *easy->problem ? easy->problem : curl_easy_strerror(result));
    curl_easy_getinfo(easy->curl, CURLINFO_RESPONSE_CODE, &status);
    easy->answer->status = status;
    if (easy->upload)
        fclose(easy->upload);
    curl_mime_free(easy->mime);
    curl_slist_free_all(easy->headers);
    fo_free(&easy->text);
    easy->upload = NULL;
    easy->mime = NULL;
}
