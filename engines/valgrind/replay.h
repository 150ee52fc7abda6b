/* replay.h: replaces results of system calls and instructions by those of a system log. */
#pragma once

#include "system_call_input.h"
#include "system_log.h"

/* Writes the log's payload for the call into the program's memory and its return value to `result`.
 * Returns False when the log has no record for it; then the real result remains. */
Bool replay_call(const struct system_call_input* input, Long* result);

/* Does the same for an instruction; `words` contain the processor's result on entry. */
void replay_instruction(const struct system_log_source* source, ULong* words);
