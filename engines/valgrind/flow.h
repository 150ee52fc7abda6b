/* flow.h: the flow: 64-bit words that describe executed blocks and accessed addresses, passed in
 * chunks of a shared file to a reader on another core. */
#pragma once

#include "core.h"

/* Maximum number of words that one superblock writes. */
enum { kMaxSuperblockWords = 2048 };

/* State of the flow for the running thread, in its shadow state at kShadowFlow. */
struct flow_words {
  ULong cursor; /* address of the next word. In a sparse flow it stays at a place for the words of
                   one record, from which a call takes them */
  Long left;    /* instructions until the next sample, minus 1; negative: a sample is due */
  ULong thread; /* the thread's number, from 1 */
  ULong full;   /* in a sparse flow: not 0 in a window */
};

/* Creates the flow's file next to the recording. `sample`: instructions between samples; 0: no
 * samples. `first`: instructions before the first sample; 0: the same as `sample`. Exits with a
 * message on failure: the program has not run yet. */
void flow_open(ULong sample, ULong first);

/* In the first `chunks` of every `period` chunks the filter drops nothing. To be called before
 * flow_open(). */
void flow_set_bursts(ULong chunks, ULong period);

/* The flow is sparse (flow_sparse.h), with windows in the first `parts` of every `period` parts of
 * kPartSuperblocks superblocks. The first window is half a period, if that is longer. To be called
 * before flow_open(). */
enum { kPartSuperblocks = 100000 };
void flow_set_windows(ULong parts, ULong period);

/* In a sparse flow: the words of the record that the program has just executed, the place of the
 * next word of the flow, and to be called when so many words are there. */
const ULong* flow_record_words(void);
ULong* flow_place(void);
void flow_advance(UInt count);

void flow_start_thread(ThreadId thread);

/* Called when Valgrind's core starts and stops running the program's code on `thread`. */
void flow_resume_thread(ThreadId thread, ULong blocks);
void flow_suspend_thread(ThreadId thread, ULong blocks);

/* Called before a signal handler starts. */
void flow_before_signal(ThreadId thread, Int signal, Bool alternate_stack);

/* Called by instrumented code when the chunk is full or a sample is due. */
void flow_attend(void);

/* Publishes the current chunk; called before execve, which may replace the program. */
void flow_hand_over(void);

/* To be called in a forked child after recording_fork(): creates the child's own flow, mapped at
 * the same addresses. */
void flow_fork(void);

/* Publishes the last chunk and marks the flow as ended. */
void flow_end(void);
