/* Owns what cases ask of the operating system: other processes, counts of threads, descriptors and
 * memory, and an allocator that counts. */
#include "conform.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* ---- other processes ---- */

static bool names_same(const char *entry, const char *change)
{
    size_t length = strcspn(change, "=");
    return strncmp(entry, change, length) == 0 && entry[length] == '=';
}

static bool is_changed(const char *entry, const char *const *changes)
{
    for (; *changes; changes++) {
        if (names_same(entry, *changes)) {
            return true;
        }
    }
    return false;
}

/* environ with the changes; strings are borrowed. */
static const char **changed_environment(const char *const *changes)
{
    size_t count = 0, kept = 0, change_count = 0;
    const char **all = NULL;

    while (environ[count]) {
        count++;
    }
    while (changes && changes[change_count]) {
        change_count++;
    }
    all = conform_alloc(count + change_count + 1, sizeof *all);
    for (size_t i = 0; i < count; i++) {
        if (!changes || !is_changed(environ[i], changes)) {
            all[kept++] = environ[i];
        }
    }
    for (size_t i = 0; i < change_count; i++) {
        if (strchr(changes[i], '=')) {
            all[kept++] = changes[i];
        }
    }
    return all;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Reads until the other side closes or time is up. */
static void read_all(int fd, double deadline, conform_outcome *out)
{
    size_t used = 0;
    char drop[512];

    for (;;) {
        struct pollfd entry = {.fd = fd, .events = POLLIN};
        double left = deadline - now();
        size_t room = sizeof out->output - 1 - used;
        ssize_t got = 0;

        if (left <= 0) {
            out->timed_out = true;
            return;
        }
        if (poll(&entry, 1, (int)(left * 1000) + 1) <= 0) {
            continue;
        }
        got = room ? read(fd, out->output + used, room) : read(fd, drop, sizeof drop);
        if (got == 0 || (got < 0 && errno != EINTR)) {
            return;
        }
        used += room && got > 0 ? (size_t)got : 0;
    }
}

void conform_spawn(const char *scenario, const char *argument, const char *const *environment,
                   unsigned seconds, conform_outcome *out)
{
    const char *arguments[] = {
        "isogrid", "conform", "--internal-scenario", scenario, argument ? argument : "", NULL};
    const char **variables = changed_environment(environment);
    int pipes[2], wait_status = 0;
    pid_t child = -1;

    *out = (conform_outcome){.exit_code = -1};
    CONFORM_TRUE(pipe(pipes) == 0, "pipe: %s", strerror(errno));
    child = fork();
    CONFORM_TRUE(child >= 0, "fork: %s", strerror(errno));
    if (child == 0) {
        dup2(pipes[1], STDOUT_FILENO);
        dup2(pipes[1], STDERR_FILENO);
        close(pipes[0]);
        close(pipes[1]);
        execve("/proc/self/exe", (char *const *)arguments, (char *const *)variables);
        _exit(126);
    }
    close(pipes[1]);
    read_all(pipes[0], now() + seconds, out);
    close(pipes[0]);
    if (out->timed_out) {
        kill(child, SIGKILL);
    }
    while (waitpid(child, &wait_status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(wait_status) && !out->timed_out) {
        out->exit_code = WEXITSTATUS(wait_status);
    } else if (WIFSIGNALED(wait_status)) {
        out->signal = WTERMSIG(wait_status);
    }
    free(variables);
}

/* ---- counts ---- */

static unsigned count_entries(const char *path)
{
    DIR *folder = opendir(path);
    unsigned count = 0;

    CONFORM_TRUE(folder, "%s: %s", path, strerror(errno));
    for (struct dirent *entry; (entry = readdir(folder));) {
        count += entry->d_name[0] != '.';
    }
    closedir(folder);
    return count;
}

unsigned conform_fd_count(void)
{
    return count_entries("/proc/self/fd");
}

unsigned conform_thread_count(void)
{
    return count_entries("/proc/self/task");
}

uint64_t conform_resident_size(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    unsigned long long total = 0, resident = 0;
    int found = 0;

    CONFORM_TRUE(file, "/proc/self/statm: %s", strerror(errno));
    found = fscanf(file, "%llu %llu", &total, &resident);
    fclose(file);
    CONFORM_TRUE(found == 2, "/proc/self/statm cannot be read");
    return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

bool conform_keeps_freed_memory(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return true;
#else
    return false;
#endif
}

/* ---- counting allocator ---- */

/* Before each block: where it was allocated and how large. */
typedef struct header {
    void *block;
    size_t size;
} header;

static void *counted_allocate(void *user, size_t size, size_t alignment)
{
    conform_allocations *counts = user;
    uint64_t call = atomic_fetch_add(&counts->calls, 1);
    int64_t fail_after = atomic_load(&counts->fail_after);
    char *block = NULL;
    uintptr_t address = 0;
    header *head = NULL;

    if (fail_after >= 0 && call >= (uint64_t)fail_after) {
        return NULL;
    }
    block = malloc(size + alignment + sizeof *head);
    if (!block) {
        return NULL;
    }
    address = ((uintptr_t)block + sizeof *head + alignment - 1) & ~(uintptr_t)(alignment - 1);
    head = (header *)(address - sizeof *head);
    memcpy(head, &(header){.block = block, .size = size}, sizeof *head);
    memset((void *)address, 0xa5, size);
    atomic_fetch_add(&counts->live, 1);
    atomic_fetch_add(&counts->bytes, (int64_t)size);
    return (void *)address;
}

static void counted_release(void *user, void *pointer, size_t size)
{
    conform_allocations *counts = user;
    header head;

    memcpy(&head, (char *)pointer - sizeof head, sizeof head);
    if (head.size != size) {
        atomic_fetch_add(&counts->wrong_sizes, 1);
    }
    atomic_fetch_sub(&counts->live, 1);
    atomic_fetch_sub(&counts->bytes, (int64_t)head.size);
    free(head.block);
}

isg_host_allocator conform_counting_allocator(conform_allocations *counts)
{
    atomic_store(&counts->fail_after, -1);
    return (isg_host_allocator){
        .user = counts, .allocate = counted_allocate, .release = counted_release};
}
