#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

bool process_start(struct process *process, char *const *arguments, int input, int log,
                   struct fo_error *error)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0) {
        fo_fail(error, "pipe: %s", strerror(errno));
        return false;
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, log, STDERR_FILENO);
    int code = posix_spawnp(&process->pid, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    process->output = ends[0];
    if (code == 0)
        return true;
    fo_fail(error, "%s: %s", arguments[0], strerror(code));
    close(ends[0]);
    return false;
}

static long long nanoseconds(struct timeval time)
{
    return time.tv_sec * 1000000000LL + time.tv_usec * 1000LL;
}

int process_end(struct process *process, struct fo_children *children)
{
    int status;
    struct rusage usage;
    close(process->output);
    while (wait4(process->pid, &status, 0, &usage) < 0)
        if (errno != EINTR)
            return -1;
    children->user_ns += nanoseconds(usage.ru_utime);
    children->system_ns += nanoseconds(usage.ru_stime);
    /* Linux counts the starter's own peak as the child's: exec keeps the high-water mark. */
    if (usage.ru_maxrss > children->peak_kb)
        children->peak_kb = usage.ru_maxrss;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int memory_file(const char *name, struct fo_error *error)
{
    int file = memfd_create(name, MFD_CLOEXEC);
    if (file < 0)
        fo_fail(error, "memfd_create: %s", strerror(errno));
    return file;
}

bool memory_file_set(int file, const struct fo_buffer *data, struct fo_error *error)
{
    size_t done = 0;
    if (ftruncate(file, 0) < 0)
        fo_fail(error, "ftruncate: %s", strerror(errno));
    while (done < data->size) {
        ssize_t written = pwrite(file, data->data + done, data->size - done, done);
        if (written < 0) {
            fo_fail(error, "pwrite: %s", strerror(errno));
            return false;
        }
        done += written;
    }
    lseek(file, 0, SEEK_SET);
    return true;
}

void memory_file_get(int file, struct fo_buffer *data)
{
    struct stat about;
    if (fstat(file, &about) == 0) {
        ssize_t size = pread(file, fo_room(data, about.st_size), about.st_size, 0);
        data->size += size > 0 ? size : 0;
    }
}
