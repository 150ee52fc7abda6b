/* log.h: what the program asked for and was told: written to a file, and found again in one. */
#pragma once

#include "core.h"
#include "format/system_log_wire.h"

/* Where an answer comes from. */
struct system_log_source {
  UInt kind;
  UInt call;
  ULong key;
  const HChar* name; /* no part of what tells sources apart */
};

/* Places in the program's memory that an answer is written to, in order. */
enum { kSystemLogMostPieces = 64 };
struct system_log_piece {
  Addr at;
  SizeT bytes;
};
struct system_log_pieces {
  UInt used;
  struct system_log_piece piece[kSystemLogMostPieces];
};

/* Begins a log at `path`; ends the process with a message when it cannot. */
void system_log_record_to(const HChar* path);
Bool system_log_records(void);
void system_log_count_call(UInt number);
void system_log_count_question(UInt kind);
/* Whether the source has been told of. */
Bool system_log_knows(const struct system_log_source* source);
/* `bytes` are taken from the pieces. */
void system_log_append(const struct system_log_source* source, Long result,
                       const struct system_log_pieces* pieces, SizeT bytes);
/* In a forked child: the log is the parent's. */
void system_log_leave(void);

/* Answers of `kind` will come from the log at `path`; ends the process with a message when it is
 * none. */
void system_log_play_from(const HChar* path, UInt kind);
Bool system_log_plays(UInt kind);

/* A stream that is played, and how far. From `next` on it belongs to who plays it. */
struct system_log_played {
  const UChar* records;
  UInt* places; /* of its answers among the records, in units of 8 bytes */
  UInt answers;
  UInt next;
  UInt taken;   /* bytes of the next answer that were given already */
  ULong beyond; /* questions after the last answer */
  ULong last;   /* time that was told last */
  ULong step;   /* of the time, for `step_questions` questions; 0: not known yet */
  ULong step_questions;
};

/* NULL when the log has no answer of this source. */
struct system_log_played* system_log_find(const struct system_log_source* source);

/* Answer `n`, which is one of the stream's. */
const struct tare_system_log_record* system_log_answer(const struct system_log_played* stream,
                                                       UInt n);
static inline const UChar* system_log_payload(const struct tare_system_log_record* record) {
  return (const UChar*)(record + 1);
}
