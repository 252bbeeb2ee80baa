/* c/libcurl's loop for a small GET without the kit, its handle set as the adapter sets it, and content
   kept in memory as a run asks for: for each number on standard input, so many exchanges, then the
   nanoseconds of CPU time that they took. */
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct content {
    char *data;
    size_t size, room;
};

static size_t expected;

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

static long long cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void exchange(CURL *curl, const char *url, struct content *content)
{
    long status = 0;
    content->size = 0;
    curl_easy_setopt(curl, CURLOPT_HTTPGET, 1L);
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, NULL);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, content);
    CURLcode result = curl_easy_perform(curl);
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    if (result != CURLE_OK || status != 200 || content->size != expected)
        exit(1);
}

int main(int count, char **arguments)
{
    if (count != 3)
        return 2;
    expected = strtoul(arguments[2], NULL, 10);
    CURL *curl = curl_easy_init();
    curl_easy_setopt(curl, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_content);
    static char problem[CURL_ERROR_SIZE];
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, problem);
    curl_easy_setopt(curl, CURLOPT_PROXY, "");
    curl_easy_setopt(curl, CURLOPT_PIPEWAIT, 0L);
    struct content content = {0};
    int n;
    while (scanf("%d", &n) == 1) {
        long long before = cpu_ns();
        for (int i = 0; i < n; i++)
            exchange(curl, arguments[1], &content);
        printf("%lld\n", cpu_ns() - before);
        fflush(stdout);
    }
    curl_easy_cleanup(curl);
    return 0;
}
