/* libcurl: one easy handle for all exchanges, content kept in memory. Of fields it makes a POST. */
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct content {
    char *data;
    size_t size, room;
};

static size_t on_content(char *data, size_t size, size_t count, void *kept)
{
    struct content *content = kept;
    size_t more = size * count;
    if (content->size + more > content->room) {
        content->room = 2 * (content->size + more);
        content->data = realloc(content->data, content->room);
        if (!content->data)
            abort();
    }
    memcpy(content->data + content->size, data, more);
    content->size += more;
    return more;
}

static char *form_of(CURL *curl, char **fields)
{
    char *form = NULL;
    size_t size;
    FILE *out = open_memstream(&form, &size);
    for (const char *between = ""; *fields; fields += 2, between = "&") {
        char *name = curl_easy_escape(curl, fields[0], 0), *value = curl_easy_escape(curl, fields[1], 0);
        fprintf(out, "%s%s=%s", between, name, value);
        curl_free(name);
        curl_free(value);
    }
    fclose(out);
    return form;
}

static void exchange(CURL *curl, char **arguments, size_t size, struct content *content)
{
    char *form = NULL;
    long status = 0;
    content->size = 0;
    curl_easy_setopt(curl, CURLOPT_URL, arguments[1]);
    if (arguments[3]) {
        form = form_of(curl, arguments + 3);
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, form);
    }
    CURLcode result = curl_easy_perform(curl);
    free(form);
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    if (result != CURLE_OK || status != 200 || content->size != size) {
        fprintf(stderr, "%s, status %ld\n", curl_easy_strerror(result), status);
        exit(1);
    }
}

static long long now_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

int main(int count, char **arguments)
{
    struct content content = {0};
    int n;
    if (count < 3)
        return 2;
    size_t size = strtoul(arguments[2], NULL, 10);
    CURL *curl = curl_easy_init();
    curl_easy_setopt(curl, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(curl, CURLOPT_PROXY, ""); /* and it need not look for one each time */
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_content);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &content);
    while (scanf("%d", &n) == 1) {
        long long cpu = now_ns(CLOCK_PROCESS_CPUTIME_ID), wall = now_ns(CLOCK_MONOTONIC);
        for (int i = 0; i < n; i++)
            exchange(curl, arguments, size, &content);
        cpu = now_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu;
        wall = now_ns(CLOCK_MONOTONIC) - wall;
        printf("%lld %lld\n", cpu, wall);
        fflush(stdout);
    }
    curl_easy_cleanup(curl);
    return 0;
}
