/* played_time.h: the time from a tape, and what it would be beyond the tape's end. */
#pragma once

#include "tape.h"

/* Whether the call tells a time that goes on, as a timer's expirations do not. */
Bool played_time_goes_on(UInt call);

/* The next time of the stream, in units of its call; never less than before. Beyond the end it
 * goes on by the median step of the tape, or what comes nearest to it. `record` is the answer that
 * the rest comes from. */
ULong played_time_next(struct tape_played* stream, UInt call,
                       const struct tare_tape_record** record);

/* Writes a time to where `call` has it: in its result or in `bytes` of its structure. */
void played_time_store(UInt call, ULong time, Long* result, UChar* structure, SizeT bytes);
