/* replayed_time.h: times replayed from a system log, extrapolated after the log's end. */
#pragma once

#include "system_log.h"

/* Whether the call returns an advancing time. False for the expiration count of a timer. */
Bool replayed_time_advances(UInt call);

/* Returns the stream's next time, in units of its call; it never decreases. After the log's end the
 * time advances by the log's median step, or by the nearest available estimate of it. `record` is
 * set to the record that supplies the call's other fields. */
ULong replayed_time_next(struct system_log_stream_state* stream, UInt call,
                         const struct tare_system_log_record** record);

/* Writes `time` to where `call` returns it: `result`, or `structure` of `bytes` bytes. */
void replayed_time_store(UInt call, ULong time, Long* result, UChar* structure, SizeT bytes);
