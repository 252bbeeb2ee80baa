/* Another process on the machine: for 20 to 200 ms it chases pointers through memory and makes
   system calls, for 20 to 200 ms it sleeps, and so on, by chance but with a seed. The shared parts
   of the machine feel it: the last cache, the memory, the kernel.

   disturber SEED CORE SECONDS PARENT: ends after so many seconds, or with its parent (a process
   id). SIGTERM ends it politely: it says on standard output for how many milliseconds it was busy,
   idle, and how many pointers and system calls that were. */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MEMORY = 8 << 20, LINE = 64, LINES = MEMORY / LINE, HOPS = 2000, MESSAGES = 20, SIZE = 64 };
enum { LEAST_MS = 20, MOST_MS = 200 };

typedef struct line {
    struct line *next;
    char rest[LINE - sizeof(struct line *)];
} line;

static uint64_t state;
static volatile sig_atomic_t ended;

static void end(int number)
{
    (void)number;
    ended = 1;
}

/* splitmix64 */
static uint64_t draw(void)
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

/* One cycle through all lines, in an order by chance (Sattolo). */
static line *chain(void)
{
    line *lines = aligned_alloc(4096, MEMORY);
    uint32_t *order = malloc(LINES * sizeof *order);
    if (!lines || !order)
        exit(1);
    for (uint32_t i = 0; i < LINES; i++)
        order[i] = i;
    for (uint32_t i = LINES - 1; i > 0; i--) {
        uint32_t j = draw() % i, kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
    for (uint32_t i = 0; i < LINES; i++)
        lines[order[i]].next = &lines[order[(i + 1) % LINES]];
    free(order);
    return lines;
}

int main(int count, char **arguments)
{
    if (count != 5)
        return 2;
    state = strtoull(arguments[1], NULL, 10);
    cpu_set_t cores;
    CPU_ZERO(&cores);
    CPU_SET(atoi(arguments[2]), &cores);
    double last_ms = now_ms() + 1e3 * atof(arguments[3]);
    struct sigaction action = {.sa_handler = end};
    sigaction(SIGTERM, &action, NULL);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    int ends[2];
    if (getppid() != atoi(arguments[4]) || sched_setaffinity(0, sizeof cores, &cores) ||
        socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
        return 1;
    line *volatile at = chain();
    char message[SIZE] = {0};
    double busy_ms = 0, idle_ms = 0;
    uint64_t hops = 0, calls = 0;
    puts("ready");
    fflush(stdout);
    while (!ended && now_ms() < last_ms) {
        double began_ms = now_ms(), until_ms = began_ms + LEAST_MS + draw() % (MOST_MS - LEAST_MS + 1);
        while (!ended && now_ms() < until_ms) {
            line *here = at;
            for (int i = 0; i < HOPS; i++)
                here = here->next;
            at = here;
            hops += HOPS;
            for (int i = 0; i < MESSAGES; i++) {
                if (write(ends[0], message, SIZE) != SIZE || read(ends[1], message, SIZE) != SIZE)
                    return 1;
                calls += 2;
            }
        }
        busy_ms += now_ms() - began_ms;
        began_ms = now_ms();
        uint64_t rest_ms = LEAST_MS + draw() % (MOST_MS - LEAST_MS + 1);
        struct timespec rest = {.tv_sec = 0, .tv_nsec = rest_ms * 1000000};
        if (!ended)
            nanosleep(&rest, NULL); /* a signal ends it early */
        idle_ms += now_ms() - began_ms;
    }
    printf("%.0f %.0f %llu %llu\n", busy_ms, idle_ms, (unsigned long long)hops, (unsigned long long)calls);
    return 0;
}
