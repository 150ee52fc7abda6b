/* system_log.h: writes the program's system inputs to a system log, and reads them back for
 * replay. */
#pragma once

#include "core.h"
#include "format/system_log_wire.h"

/* The source of a system input. */
struct system_log_source {
  UInt kind;
  UInt call;
  ULong key;
  const HChar* name; /* not part of the source's identity */
};

/* Ranges of the program's memory that a system input is written to, in order. */
enum { kSystemLogMaxPieces = 64 };
struct system_log_piece {
  Addr at;
  SizeT bytes;
};
struct system_log_pieces {
  UInt used;
  struct system_log_piece piece[kSystemLogMaxPieces];
};

/* Creates a log at `path`; exits with a message on failure. */
void system_log_record_to(const HChar* path);
Bool system_log_records(void);
void system_log_count_call(UInt number);
void system_log_count_request(UInt kind);
/* Whether the log already has a stream for the source. */
Bool system_log_knows(const struct system_log_source* source);
/* Appends a record whose payload is the first `bytes` bytes of the pieces. */
void system_log_append(const struct system_log_source* source, Long result,
                       const struct system_log_pieces* pieces, SizeT bytes);
/* To be called in a forked child, because the log belongs to the parent. */
void system_log_stop(void);

/* Inputs of `kind` will be replayed from the log at `path`; exits with a message when it is not a
 * valid log. */
void system_log_replay_from(const HChar* path, UInt kind);
Bool system_log_replays(UInt kind);

/* A stream that is being replayed, and its position. The caller of system_log_find() maintains the
 * fields from `next` on. */
struct system_log_stream_state {
  const UChar* records;
  UInt* places; /* offsets of its inputs in `records`, in units of 8 bytes */
  UInt inputs;
  UInt next;
  UInt taken;     /* bytes of the next input that the program has already received */
  ULong past_end; /* requests after the last input */
  ULong last;     /* the last time returned */
  ULong step;     /* advance of the time in `step_requests` requests; 0: not known yet */
  ULong step_requests;
};

/* Returns NULL when the log has no record of this source. */
struct system_log_stream_state* system_log_find(const struct system_log_source* source);

/* Returns input `n` of the stream; `n` must be less than `inputs`. */
const struct tare_system_log_record* system_log_input(const struct system_log_stream_state* stream,
                                                      UInt n);
static inline const UChar* system_log_payload(const struct tare_system_log_record* record) {
  return (const UChar*)(record + 1);
}
