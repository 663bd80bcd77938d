/* Owns a child process of the supervisor: its start, its events, its end. */
#include "cli.h"
#include "conform_tool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

double conform_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static _Noreturn void become_child(const char *const *arguments, const char *const *environment,
                                   int events, int output)
{
    const char *all[64] = {"isogrid", "conform"};
    char descriptor[32];
    size_t count = 2;

    snprintf(descriptor, sizeof descriptor, "--internal-fd=%d", events);
    all[count++] = descriptor;
    for (; *arguments && count < CONFORM_COUNT(all) - 1; arguments++) {
        all[count++] = *arguments;
    }
    for (; environment && *environment; environment++) {
        putenv((char *)*environment);
    }
    setpgid(0, 0);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    fcntl(events, F_SETFD, 0);
    execv("/proc/self/exe", (char *const *)all);
    _exit(126);
}

bool conform_process_start(conform_process *process, const char *const *arguments,
                           const char *const *environment)
{
    int events[2] = {-1, -1}, output[2] = {-1, -1};

    *process = (conform_process){.pid = -1, .events = -1, .output = -1};
    if (pipe2(events, O_CLOEXEC) != 0 || pipe2(output, O_CLOEXEC) != 0) {
        isg_cli_error("no pipe for a child: %s", strerror(errno));
        return false;
    }
    fflush(NULL);
    process->pid = fork();
    if (process->pid == 0) {
        become_child(arguments, environment, events[1], output[1]);
    }
    close(events[1]);
    close(output[1]);
    if (process->pid < 0) {
        isg_cli_error("no child process: %s", strerror(errno));
        close(events[0]);
        close(output[0]);
        return false;
    }
    process->events = events[0];
    process->output = output[0];
    return true;
}

/* Keeps the last bytes of what the child printed. */
static void take_output(conform_process *process)
{
    char bytes[1024];
    ssize_t got = read(process->output, bytes, sizeof bytes);
    size_t room = sizeof process->tail - 1, size = got > 0 ? (size_t)got : 0;

    if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) {
        close(process->output);
        process->output = -1;
        return;
    }
    if (process->tail_used + size > room) {
        size_t drop = process->tail_used + size - room;
        memmove(process->tail, process->tail + drop, process->tail_used - drop);
        process->tail_used -= drop;
    }
    memcpy(process->tail + process->tail_used, bytes, size);
    process->tail_used += size;
    process->tail[process->tail_used] = '\0';
}

/* Takes one byte of an event; true when its line is whole. */
static bool take_event_byte(conform_process *process, char byte)
{
    if (process->line_used + 1 >= process->line_size) {
        size_t size = process->line_size ? process->line_size * 2 : 4096;
        char *line = realloc(process->line, size);
        if (!line) {
            return false; /* the byte is lost and the line will not parse */
        }
        process->line = line;
        process->line_size = size;
    }
    process->line[process->line_used] = byte == '\n' ? '\0' : byte;
    process->line_used = byte == '\n' ? 0 : process->line_used + 1;
    return byte == '\n';
}

conform_read conform_process_read(conform_process *process, double deadline,
                                  void (*tick)(void *user), void *user)
{
    for (;;) {
        struct pollfd entries[2] = {{.fd = process->events, .events = POLLIN},
                                    {.fd = process->output, .events = POLLIN}};
        double left = deadline - conform_now();

        if (left <= 0) {
            return CONFORM_READ_TIMEOUT;
        }
        if (tick) {
            tick(user);
        }
        if (poll(entries, 2, left < 0.25 ? (int)(left * 1000) + 1 : 250) < 0) {
            continue;
        }
        if (entries[1].revents) {
            take_output(process);
        }
        if (entries[0].revents) {
            char byte = 0;
            ssize_t got = read(process->events, &byte, 1);
            if (got == 0 || (got < 0 && errno != EINTR)) {
                return CONFORM_READ_END;
            }
            if (got == 1 && take_event_byte(process, byte)) {
                return CONFORM_READ_LINE;
            }
        }
    }
}

void conform_process_end(conform_process *process, double seconds, char *how, size_t how_size)
{
    double deadline = conform_now() + seconds;
    int status = 0;
    pid_t ended = 0;
    bool killed = false;

    how[0] = '\0';
    while ((ended = waitpid(process->pid, &status, WNOHANG)) == 0 ||
           (ended < 0 && errno == EINTR)) {
        struct pollfd entry = {.fd = process->output, .events = POLLIN};
        if (poll(&entry, 1, 10) > 0 && entry.revents) {
            take_output(process);
        }
        if (conform_now() > deadline && !killed) {
            kill(-process->pid, SIGKILL);
            kill(process->pid, SIGKILL);
            killed = true;
            deadline = conform_now() + 10;
        } else if (conform_now() > deadline) {
            snprintf(how, how_size, "process %d does not end even when killed", (int)process->pid);
            break;
        }
    }
    while (process->output >= 0 &&
           poll(&(struct pollfd){.fd = process->output, .events = POLLIN}, 1, 0) > 0) {
        take_output(process);
    }
    if (ended > 0 && killed) {
        snprintf(how, how_size, "killed");
    } else if (ended > 0 && WIFSIGNALED(status)) {
        snprintf(how, how_size, "ended by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    } else if (ended > 0 && WEXITSTATUS(status) != 0) {
        snprintf(how, how_size, "ended with exit code %d", WEXITSTATUS(status));
    }
    close(process->events);
    if (process->output >= 0) {
        close(process->output);
    }
    free(process->line);
    process->line = NULL;
}
