#include "fetchoff.h"

#include <curl/curl.h>
#include <string.h>

static CURL *curl;
static char problem[CURL_ERROR_SIZE];

static void describe(struct fo_description *us, struct fo_error *error)
{
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        fo_fail(error, "libcurl cannot be initialised");
    us->client = "libcurl";
    us->version = curl_version_info(CURLVERSION_NOW)->version;
    us->features = "http/1.1 tls method.get method.head method.post method.put "
                   "body.form body.json body.multipart body.raw headers "
                   "connection.reuse connection.fresh "
                   "sink.buffer sink.json sink.discard sink.file read-size "
                   "cookies decompression redirects timeout.connect timeout.total "
                   "option.tcp_nodelay inject.busy";
}

static size_t on_content(char *data, size_t size, size_t count, void *answer)
{
    return fo_content(answer, data, size * count) ? size * count : CURL_WRITEFUNC_ERROR;
}

static void prepare(struct fo_workload *workload, struct fo_error *error)
{
    const struct fo_settings *settings = &workload->settings;
    bool fresh = settings->reuse == FO_FRESH;
    fo_read_bodies(workload, error);
    curl = curl_easy_init();
    curl_easy_setopt(curl, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, problem);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_content);
    curl_easy_setopt(curl, CURLOPT_FRESH_CONNECT, (long)fresh);
    curl_easy_setopt(curl, CURLOPT_FORBID_REUSE, (long)fresh);
    curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, (long)(settings->redirects > 0));
    curl_easy_setopt(curl, CURLOPT_MAXREDIRS, settings->redirects);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, settings->connect_ms);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, settings->total_ms);
    curl_easy_setopt(curl, CURLOPT_TCP_NODELAY, (long)fo_option(settings, "tcp_nodelay", true));
    curl_easy_setopt(curl, CURLOPT_COOKIEFILE, settings->cookies ? "" : NULL);
    curl_easy_setopt(curl, CURLOPT_ACCEPT_ENCODING, settings->decompress ? "gzip" : NULL);
    if (settings->read_size)
        curl_easy_setopt(curl, CURLOPT_BUFFERSIZE, (long)settings->read_size);
    if (settings->tls_ca)
        curl_easy_setopt(curl, CURLOPT_CAINFO, settings->tls_ca);
}

static void print_form(struct fo_buffer *out, const struct fo_body *body)
{
    for (size_t i = 0; i < body->field_count; i++) {
        char *name = curl_easy_escape(curl, body->fields[i].name, 0);
        char *value = curl_easy_escape(curl, body->fields[i].value, 0);
        fo_print(out, "%s%s=%s", i ? "&" : "", name, value);
        curl_free(name);
        curl_free(value);
    }
}

static curl_mime *parts(const struct fo_body *body)
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

static void exchange(const struct fo_exchange *exchange, struct fo_answer *answer)
{
    const struct fo_body *body = &exchange->body;
    bool is_put = strcmp(exchange->method, "PUT") == 0;
    struct curl_slist *headers = header_list(exchange, is_put);
    curl_mime *mime = NULL;
    FILE *upload = NULL;
    long status = 0;
    struct fo_buffer text = {0};
    const struct fo_buffer *content = body->kind == FO_RAW ? &body->file : &text;
    if (body->kind == FO_FORM)
        print_form(&text, body);
    else if (body->kind == FO_JSON)
        fo_print_body(&text, body);

    curl_easy_setopt(curl, CURLOPT_HTTPGET, 1L); /* and no longer the last exchange's method */
    curl_easy_setopt(curl, CURLOPT_URL, exchange->url);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, answer);
    if (is_put) {
        upload = fmemopen(content->data, content->size, "rb");
        curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L);
        curl_easy_setopt(curl, CURLOPT_READDATA, upload);
        curl_easy_setopt(curl, CURLOPT_INFILESIZE_LARGE, (curl_off_t)content->size);
    } else if (body->kind == FO_MULTIPART) {
        curl_easy_setopt(curl, CURLOPT_MIMEPOST, mime = parts(body));
    } else if (strcmp(exchange->method, "POST") == 0) {
        curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)content->size);
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, content->size ? content->data : "");
    } else if (strcmp(exchange->method, "HEAD") == 0) {
        curl_easy_setopt(curl, CURLOPT_NOBODY, 1L);
    }

    CURLcode result = curl_easy_perform(curl);
    if (result != CURLE_OK)
        fo_fail(&answer->error, "%s", *problem ? problem : curl_easy_strerror(result));
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    answer->status = status;

    if (upload)
        fclose(upload);
    curl_mime_free(mime);
    curl_slist_free_all(headers);
    fo_free(&text);
}

static void reset(struct fo_workload *workload)
{
    (void)workload;
    curl_easy_cleanup(curl);
    curl = NULL;
}

int main(void)
{
    return fo_serve(&(struct fo_adapter){describe, prepare, exchange, reset, NULL});
}
