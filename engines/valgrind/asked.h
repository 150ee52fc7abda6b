/* asked.h: watches what the program asks the system for; writes the answers down, or gives those
 * of a log. */
#pragma once

#include "core.h"

/* Paths of logs; NULL: none. */
struct asked_options {
  const HChar* record;
  const HChar* play_time;
  const HChar* play_random;
  const HChar* play_system;
};

Bool asked_wanted(const struct asked_options* options);
void asked_begin(const struct asked_options* options);

/* In a forked child: from now on nothing is watched. */
void asked_leave(void);

void asked_before(UInt number);
void asked_after(ThreadId thread, UInt number, const UWord* arguments, SysRes result);

/* Calls of VEX for instructions that read a clock or random numbers are led through here. */
void asked_lead(IRDirty* call);
