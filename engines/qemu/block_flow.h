/* block_flow.h: the flow (format/flow_wire.h): the numbers of executed blocks in order, passed in
 * chunks of a shared file to a reader on another core.
 *
 * QEMU runs threads at the same time. Each fills a buffer of its own and hands it over when it is
 * full and before every system call, so that a thread that waits or ends has nothing left. The
 * reader takes the buffers of a process that was killed. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "format/flow_wire.h"

/* The maximum number of threads at the same time. */
enum { kFlowBuffers = 1024 };

struct flow_buffer {
  struct tare_flow_buffer* words; /* in the flow's file; NULL: the thread has no flow */
  uint64_t thread;                /* its number, from 1 in the order in which threads start */
};

/* Creates the flow's file next to the recording, which must be open. Returns false after a message
 * to standard error. */
bool block_flow_open(void);

/* Gives a thread that starts the buffer with that number. Returns false if there is no room. */
bool block_flow_start_thread(struct flow_buffer* buffer, unsigned number);

void block_flow_hand_over(struct flow_buffer* buffer);

static inline void block_flow_add(struct flow_buffer* buffer, uint64_t number) {
  struct tare_flow_buffer* to = buffer->words;
  const uint64_t used = to->used;
  to->words[used] = number;
  __atomic_store_n(&to->used, used + 1, __ATOMIC_RELEASE);
  if (used + 1 == TARE_FLOW_BUFFER_WORDS) block_flow_hand_over(buffer);
}

/* A mark is two words, which must stay together. */
static inline void block_flow_mark(struct flow_buffer* buffer, enum tare_flow_mark mark,
                                   uint64_t value) {
  if (buffer->words->used + 2 > TARE_FLOW_BUFFER_WORDS) block_flow_hand_over(buffer);
  struct tare_flow_buffer* to = buffer->words;
  const uint64_t used = to->used;
  to->words[used] = TARE_FLOW_MARK | mark;
  to->words[used + 1] = value;
  __atomic_store_n(&to->used, used + 2, __ATOMIC_RELEASE);
  if (used + 2 == TARE_FLOW_BUFFER_WORDS) block_flow_hand_over(buffer);
}

/* To be called before a fork, and after it in the parent. */
void block_flow_before_fork(void);
void block_flow_after_fork(void);
/* To be called in a forked child, after recording_fork(): creates the child's own flow, mapped at
 * the same addresses. `buffer` is that of the thread that forked; it may be NULL. */
void block_flow_fork(struct flow_buffer* buffer);

/* Publishes the last chunk. All buffers must have been handed over. */
void block_flow_end(void);
