/* The floor: an epoll loop that answers every request head with the same bytes.
 *
 * bare_loop SIZE listens on a free loopback port, prints it, and prints how many
 * requests it has answered for every line on its standard input. It ends with its input.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MAX_EVENTS = 64, MAX_FDS = 4096, BUFFER = 8192 };

static const char END[] = "\r\n\r\n";

struct connection {
    int matched;    /* characters of END seen so far */
    size_t owed;    /* answers begun or due */
    size_t written; /* of the answer that was begun */
};

static struct connection connections[MAX_FDS];
static char *answer;
static size_t answer_length;
static unsigned long long answered;

static void fail(const char *what)
{
    perror(what);
    exit(2);
}

static void make_answer(size_t size)
{
    char head[128];
    int length = snprintf(head, sizeof head,
                          "HTTP/1.1 200 OK\r\ncontent-type: application/octet-stream\r\n"
                          "content-length: %zu\r\n\r\n", size);
    answer_length = (size_t)length + size;
    answer = malloc(answer_length);
    if (!answer)
        fail("malloc");
    memcpy(answer, head, (size_t)length);
    memset(answer + length, 'x', size);
}

static int listen_on_free_port(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int on = 1;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    if (listener < 0 || setsockopt(listener, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) ||
        bind(listener, (struct sockaddr *)&address, length) || listen(listener, 1024) ||
        getsockname(listener, (struct sockaddr *)&address, &length))
        fail("listen");
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    return listener;
}

static void watch(int poll, int operation, int fd, unsigned events)
{
    struct epoll_event event = {.events = events, .data.fd = fd};
    if (epoll_ctl(poll, operation, fd, &event))
        fail("epoll_ctl");
}

static void accept_all(int poll, int listener)
{
    int fd;
    while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
        if (fd >= MAX_FDS) {
            close(fd);
            continue;
        }
        connections[fd] = (struct connection){0};
        watch(poll, EPOLL_CTL_ADD, fd, EPOLLIN);
    }
}

static size_t heads_in(struct connection *connection, const char *bytes, size_t length)
{
    size_t heads = 0;
    for (size_t i = 0; i < length; i++) {
        if (bytes[i] == END[connection->matched])
            connection->matched++;
        else
            connection->matched = bytes[i] == END[0];
        if (connection->matched == 4) {
            connection->matched = 0;
            heads++;
        }
    }
    return heads;
}

/* 1: all written, 0: the socket is full, -1: the connection is over */
static int write_owed(int fd, struct connection *connection)
{
    while (connection->owed) {
        ssize_t n = send(fd, answer + connection->written, answer_length - connection->written,
                         MSG_NOSIGNAL);
        if (n < 0)
            return errno == EAGAIN ? 0 : -1;
        connection->written += (size_t)n;
        if (connection->written == answer_length) {
            connection->written = 0;
            connection->owed--;
            answered++;
        }
    }
    return 1;
}

static void serve(int poll, int fd, unsigned events)
{
    struct connection *connection = &connections[fd];
    char buffer[BUFFER];
    size_t owed_before = connection->owed;
    if (!owed_before) {
        ssize_t n = recv(fd, buffer, sizeof buffer, 0);
        if (n < 0 && errno == EAGAIN)
            return;
        if (n <= 0) {
            close(fd);
            return;
        }
        connection->owed = heads_in(connection, buffer, (size_t)n);
    }
    int state = write_owed(fd, connection);
    if (state < 0)
        close(fd);
    else if (state == 0 && !(events & EPOLLOUT))
        watch(poll, EPOLL_CTL_MOD, fd, EPOLLOUT);
    else if (state == 1 && owed_before)
        watch(poll, EPOLL_CTL_MOD, fd, EPOLLIN);
}

static void report(void)
{
    char line[256];
    if (read(STDIN_FILENO, line, sizeof line) <= 0)
        exit(0);
    printf("%llu\n", answered);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s SIZE\n", argv[0]);
        return 2;
    }
    make_answer(strtoull(argv[1], NULL, 10));
    int poll = epoll_create1(0);
    int listener = listen_on_free_port();
    watch(poll, EPOLL_CTL_ADD, listener, EPOLLIN);
    watch(poll, EPOLL_CTL_ADD, STDIN_FILENO, EPOLLIN);
    for (;;) {
        struct epoll_event events[MAX_EVENTS];
        int n = epoll_wait(poll, events, MAX_EVENTS, -1);
        for (int i = 0; i < n; i++) {
            if (events[i].data.fd == listener)
                accept_all(poll, listener);
            else if (events[i].data.fd == STDIN_FILENO)
                report();
            else
                serve(poll, events[i].data.fd, events[i].events);
        }
    }
}
