/* played_time.h: the time from a log, and what it would be beyond the log's end. */
#pragma once

#include "system_log.h"

/* Whether the call tells a time that goes on, as a timer's expirations do not. */
Bool played_time_goes_on(UInt call);

/* The next time of the stream, in units of its call; never less than before. Beyond the end it
 * goes on by the median step of the log, or what comes nearest to it. `record` is the answer that
 * the rest comes from. */
ULong played_time_next(struct system_log_played* stream, UInt call,
                       const struct tare_system_log_record** record);

/* Writes a time to where `call` has it: in its result or in `bytes` of its structure. */
void played_time_store(UInt call, ULong time, Long* result, UChar* structure, SizeT bytes);
