/* The ways in which hand-written Vulkan submits one empty dispatch and learns that it has run. */
#ifndef ISOGRID_TOOLS_PEER_WAIT_H
#define ISOGRID_TOOLS_PEER_WAIT_H

#include "peer_vulkan.h"

/* What the submission signals. */
typedef enum isg_peer_signal {
    ISG_PEER_SIGNAL_NONE,
    ISG_PEER_SIGNAL_FENCE,
    ISG_PEER_SIGNAL_TIMELINE,
} isg_peer_signal;

/* How the host learns of the end. */
typedef enum isg_peer_wait {
    ISG_PEER_WAIT_IDLE,  /* vkQueueWaitIdle */
    ISG_PEER_WAIT_BLOCK, /* vkWaitForFences or vkWaitSemaphores, by the signal */
    ISG_PEER_WAIT_SPIN,  /* vkGetFenceStatus or vkGetSemaphoreCounterValue in a loop */
    /* The rest spin on something the command buffer itself does at its end: */
    ISG_PEER_WAIT_FILL,        /* a word in host memory, by vkCmdFillBuffer */
    ISG_PEER_WAIT_STORE,       /* the same word, stored by the kernel itself */
    ISG_PEER_WAIT_STORE_AFTER, /* the same word, stored by a second dispatch after a barrier */
    ISG_PEER_WAIT_EVENT,       /* vkCmdSetEvent and vkGetEventStatus */
    ISG_PEER_WAIT_TIMESTAMP,   /* vkCmdWriteTimestamp and vkGetQueryPoolResults */
    ISG_PEER_WAIT_MARKER,      /* the same word, by vkCmdWriteBufferMarkerAMD */
} isg_peer_wait;

/* Where that word lies. */
typedef enum isg_peer_word {
    ISG_PEER_WORD_CACHED,   /* host memory, cached */
    ISG_PEER_WORD_UNCACHED, /* host memory, not cached */
    ISG_PEER_WORD_DEVICE,   /* device memory the host can see */
} isg_peer_word;

typedef struct isg_peer_way {
    isg_peer_signal signal;
    isg_peer_wait wait;
    isg_peer_word word;
    bool submit2; /* vkQueueSubmit2 */
    bool fresh;   /* the command buffer is recorded anew each time */
    /* Records what is run; NULL: one empty dispatch. */
    void (*body)(isg_peer *peer, VkCommandBuffer commands, void *user);
    void *body_user; /* borrowed */
} isg_peer_way;

typedef struct isg_peer_run isg_peer_run;

/* The ways that were fastest somewhere, and the usual ones, for benchmarks with a body. */
extern const isg_peer_way isg_peer_good_ways[];
extern const uint32_t isg_peer_good_way_count;

/* NULL: isg_peer_error() says why the device cannot do it this way. */
isg_peer_run *isg_peer_run_create(isg_peer *peer, const isg_peer_way *way);
void isg_peer_run_destroy(isg_peer_run *run);

/* Submits once and waits. *submit_ns: until the submit call returned; *total_ns: until the host
 * knew. What it takes to be ready for the next time is not counted. */
bool isg_peer_run_once(isg_peer_run *run, uint64_t *submit_ns, uint64_t *total_ns);

/* "timeline, spin vkGetSemaphoreCounterValue, ..." into `text`. */
void isg_peer_way_describe(const isg_peer_way *way, char *text, size_t size);

#endif
