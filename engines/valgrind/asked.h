/* asked.h: hooks that record the program's system inputs to a system log, or replay them from
 * one. */
#pragma once

#include "core.h"

/* Paths of system logs; NULL: none. */
struct asked_options {
  const HChar* record;
  const HChar* play_time;
  const HChar* play_random;
  const HChar* play_system;
};

Bool asked_wanted(const struct asked_options* options);
void asked_begin(const struct asked_options* options);

/* To be called in a forked child: stops recording and replaying there. */
void asked_leave(void);

void asked_before(UInt number);
void asked_after(ThreadId thread, UInt number, const UWord* arguments, SysRes result);

/* Redirects VEX's helper calls for instructions that read a clock or a random number to this
 * module. */
void asked_lead(IRDirty* call);
