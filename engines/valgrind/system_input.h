/* system_input.h: hooks that record the program's system inputs to a system log, or replay them
 * from one. */
#pragma once

#include "core.h"

/* Paths of system logs; NULL: none. */
struct system_input_options {
  const HChar* record;
  const HChar* replay_time;
  const HChar* replay_random;
  const HChar* replay_system;
};

Bool system_input_requested(const struct system_input_options* options);
void system_input_begin(const struct system_input_options* options);

/* To be called in a forked child: stops recording and replaying there. */
void system_input_stop(void);

void system_input_before_call(UInt number);
void system_input_after_call(ThreadId thread, UInt number, const UWord* arguments, SysRes result);

/* Redirects VEX's helper calls for instructions that read a clock or a random number to this
 * module. */
void system_input_redirect(IRDirty* call);
