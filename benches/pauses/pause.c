/* pause ROUNDS: what an exchange costs after a pause in which its program only looks at a clock,
 * without Fetchoff.
 *
 * A client and a server on one core, over loopback; 100 bytes one way and 150 the other. Each round
 * has 1,000 exchanges after pauses of each length, after 200 that don't count. A line for each
 * length: what was asked for, and of an exchange the wall time, the client's CPU time and the pause
 * that the clock told, all in ns.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LENGTHS 6
enum { WARMING = 200, COUNTED = 1000 };

static const long asked_ns[LENGTHS] = {0, 3000, 14000, 100000, 300000, 1000000};

static long long now(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

static void serve(int listener)
{
    char bytes[4096];
    int one = 1, connection = accept(listener, NULL, NULL);
    setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    while (read(connection, bytes, sizeof bytes) > 0)
        if (write(connection, bytes, 150) < 0)
            break;
    _exit(0);
}

static void exchange(int connection)
{
    static char bytes[4096];
    if (write(connection, bytes, 100) < 0 || read(connection, bytes, sizeof bytes) <= 0)
        fail("exchange");
}

static long long pause_for(long ns)
{
    long long began = now(CLOCK_MONOTONIC), ended = began;
    while (ended - began < ns)
        ended = now(CLOCK_MONOTONIC);
    return ended - began;
}

int main(int count, char **words)
{
    int rounds = count > 1 ? atoi(words[1]) : 1, one = 1;
    cpu_set_t core;
    CPU_ZERO(&core);
    CPU_SET(sched_getcpu(), &core);
    sched_setaffinity(0, sizeof core, &core);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listener, (void *)&address, size) || listen(listener, 1) ||
        getsockname(listener, (void *)&address, &size))
        fail("listen");
    pid_t server = fork();
    if (server == 0)
        serve(listener);
    int connection = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(connection, (void *)&address, size))
        fail("connect");
    setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);

    long long wall[LENGTHS] = {0}, cpu[LENGTHS] = {0}, paused[LENGTHS] = {0};
    for (int round = 0; round < rounds; round++)
        for (int length = 0; length < LENGTHS; length++) {
            long ns = asked_ns[length];
            for (int n = 0; n < WARMING; n++) {
                exchange(connection);
                pause_for(ns);
            }
            long long wall_before = now(CLOCK_MONOTONIC),
                      cpu_before = now(CLOCK_PROCESS_CPUTIME_ID);
            for (int n = 0; n < COUNTED; n++) {
                exchange(connection);
                paused[length] += ns ? pause_for(ns) : 0;
            }
            wall[length] += now(CLOCK_MONOTONIC) - wall_before;
            cpu[length] += now(CLOCK_PROCESS_CPUTIME_ID) - cpu_before;
        }
    double of = (double)rounds * COUNTED;
    for (int length = 0; length < LENGTHS; length++)
        printf("%ld %.0f %.0f %.0f\n", asked_ns[length], wall[length] / of, cpu[length] / of,
               paused[length] / of);
    close(connection);
    kill(server, SIGTERM);
    waitpid(server, NULL, 0);
    return 0;
}
