/* Threads that live from the first batch of a workload to its end, one for each lane. */
#include "internal.h"

#include <pthread.h>
#include <stdlib.h>

static struct {
    pthread_t *threads;
    size_t count;
    pthread_barrier_t begin, end;
    void (*work)(size_t number, void *data); /* NULL: go home */
    void *data;
} crew;

static void *member(void *number)
{
    for (;;) {
        pthread_barrier_wait(&crew.begin);
        if (!crew.work)
            return NULL;
        crew.work((size_t)number, crew.data);
        pthread_barrier_wait(&crew.end);
    }
}

static void hire(size_t count)
{
    crew.count = count;
    crew.threads = calloc(count, sizeof *crew.threads);
    pthread_barrier_init(&crew.begin, NULL, count + 1);
    pthread_barrier_init(&crew.end, NULL, count + 1);
    for (size_t i = 0; i < count; i++)
        if (!crew.threads || pthread_create(&crew.threads[i], NULL, member, (void *)i) != 0)
            abort();
}

void fo_crew_do(void (*work)(size_t number, void *data), void *data, size_t count)
{
    if (!crew.count)
        hire(count);
    crew.work = work;
    crew.data = data;
    pthread_barrier_wait(&crew.begin);
    pthread_barrier_wait(&crew.end);
}

void fo_crew_dismiss(void)
{
    if (!crew.count)
        return;
    crew.work = NULL;
    pthread_barrier_wait(&crew.begin);
    for (size_t i = 0; i < crew.count; i++)
        pthread_join(crew.threads[i], NULL);
    pthread_barrier_destroy(&crew.begin);
    pthread_barrier_destroy(&crew.end);
    free(crew.threads);
    crew.count = 0;
}
