/* tape.h: what the program asked for and was told: written to a file, and found again in one. */
#pragma once

#include "core.h"
#include "format/system_log_wire.h"

/* Where an answer comes from. */
struct tape_source {
  UInt kind;
  UInt call;
  ULong key;
  const HChar* name; /* no part of what tells sources apart */
};

/* Places in the program's memory that an answer is written to, in order. */
enum { kTapeMostPieces = 64 };
struct tape_piece {
  Addr at;
  SizeT bytes;
};
struct tape_pieces {
  UInt used;
  struct tape_piece piece[kTapeMostPieces];
};

/* Begins a tape at `path`; ends the process with a message when it cannot. */
void tape_record_to(const HChar* path);
Bool tape_records(void);
void tape_count_call(UInt number);
void tape_count_question(UInt kind);
/* Whether the source has been told of. */
Bool tape_knows(const struct tape_source* source);
/* `bytes` are taken from the pieces. */
void tape_append(const struct tape_source* source, Long result, const struct tape_pieces* pieces,
                 SizeT bytes);
/* In a forked child: the tape is the parent's. */
void tape_leave(void);

/* Answers of `kind` will come from the tape at `path`; ends the process with a message when it is
 * none. */
void tape_play_from(const HChar* path, UInt kind);
Bool tape_plays(UInt kind);

/* A stream that is played, and how far. From `next` on it belongs to who plays it. */
struct tape_played {
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

/* NULL when the tape has no answer of this source. */
struct tape_played* tape_find(const struct tape_source* source);

/* Answer `n`, which is one of the stream's. */
const struct tare_tape_record* tape_answer(const struct tape_played* stream, UInt n);
static inline const UChar* tape_payload(const struct tare_tape_record* record) {
  return (const UChar*)(record + 1);
}
