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
enum { kSystemLogMostPieces = 64 };
struct system_log_piece {
  Addr at;
  SizeT bytes;
};
struct system_log_pieces {
  UInt used;
  struct system_log_piece piece[kSystemLogMostPieces];
};

/* Creates a log at `path`; exits with a message on failure. */
void system_log_record_to(const HChar* path);
Bool system_log_records(void);
void system_log_count_call(UInt number);
void system_log_count_question(UInt kind);
/* Whether the log already has a stream for the source. */
Bool system_log_knows(const struct system_log_source* source);
/* Appends a record whose payload is the first `bytes` bytes of the pieces. */
void system_log_append(const struct system_log_source* source, Long result,
                       const struct system_log_pieces* pieces, SizeT bytes);
/* To be called in a forked child, because the log belongs to the parent. */
void system_log_leave(void);

/* Inputs of `kind` will be replayed from the log at `path`; exits with a message when it is not a
 * valid log. */
void system_log_play_from(const HChar* path, UInt kind);
Bool system_log_plays(UInt kind);

/* A stream that is being replayed, and its position. The caller of system_log_find() maintains the
 * fields from `next` on. */
struct system_log_played {
  const UChar* records;
  UInt* places; /* offsets of its answers in `records`, in units of 8 bytes */
  UInt answers;
  UInt next;
  UInt taken;   /* bytes of the next answer that the program has already received */
  ULong beyond; /* requests after the last answer */
  ULong last;   /* the last time returned */
  ULong step;   /* advance of the time in `step_questions` requests; 0: not known yet */
  ULong step_questions;
};

/* Returns NULL when the log has no record of this source. */
struct system_log_played* system_log_find(const struct system_log_source* source);

/* Returns answer `n` of the stream; `n` must be less than `answers`. */
const struct tare_system_log_record* system_log_answer(const struct system_log_played* stream,
                                                       UInt n);
static inline const UChar* system_log_payload(const struct tare_system_log_record* record) {
  return (const UChar*)(record + 1);
}
