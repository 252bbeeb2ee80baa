/* c/libcurl's loop for a small GET without the kit, its handle set as the adapter sets it: for each
   number on standard input, so many exchanges, then the nanoseconds of CPU time that they took. */
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static size_t expected;

static size_t on_content(char *data, size_t size, size_t count, void *total)
{
    (void)data;
    *(size_t *)total += size * count;
    return size * count;
}

static long long cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void exchange(CURL *curl, const char *url)
{
    size_t total = 0;
    long status = 0;
    curl_easy_setopt(curl, CURLOPT_HTTPGET, 1L);
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, NULL);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &total);
    CURLcode result = curl_easy_perform(curl);
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    if (result != CURLE_OK || status != 200 || total != expected)
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
    int n;
    while (scanf("%d", &n) == 1) {
        long long before = cpu_ns();
        for (int i = 0; i < n; i++)
            exchange(curl, arguments[1]);
        printf("%lld\n", cpu_ns() - before);
        fflush(stdout);
    }
    curl_easy_cleanup(curl);
    return 0;
}
