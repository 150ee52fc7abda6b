/* flow.h: the words of the flow: chunks in a shared file, handed over to a reader on another core.
 */
#pragma once

#include "core.h"

/* What one superblock writes at most. */
enum { kMaxSuperblockWords = 2048 };

/* Of the thread whose turn it is, in its shadow state at kShadowFlow. */
struct flow_words {
  ULong cursor; /* where the next word goes */
  Long left;    /* instructions before the next sample, less 1; negative: it is due */
  ULong thread; /* its own number */
};

/* Makes the file beside the recording; `sample`: instructions between samples, 0: none;
 * `first`: before the first one, 0: as many. Ends the
 * process with a message when it cannot: nothing has run yet. */
void flow_open(ULong sample, ULong first);

void flow_start_thread(ThreadId thread);

/* Around the times when the thread runs code of the program. */
void flow_begin_turn(ThreadId thread, ULong blocks);
void flow_end_turn(ThreadId thread, ULong blocks);

/* A handler will begin. */
void flow_before_signal(ThreadId thread, Int signal, Bool alternate_stack);

/* Called by translations when the chunk is full or a sample is due. */
void flow_attend(void);

/* Before a call that may replace the program. */
void flow_hand_over(void);

/* In a forked child, behind recording_fork(): a flow of its own at the same addresses. */
void flow_fork(void);

/* Nothing more will come. */
void flow_end(void);
