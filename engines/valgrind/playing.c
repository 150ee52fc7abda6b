/* playing.c: overwrites the system inputs of a call or an instruction with those of a system
 * log. */
#include "playing.h"

#include "played_time.h"

/* The real call may have failed where the recorded one succeeded. Then the kernel has not checked
 * the buffers. */
static Bool CanWrite(const struct system_log_pieces* pieces, SizeT bytes) {
  for (UInt i = 0; i < pieces->used && bytes > 0; ++i) {
    const struct system_log_piece piece = pieces->piece[i];
    const SizeT given = piece.bytes < bytes ? piece.bytes : bytes;
    if (!VG_(am_is_valid_for_client)(piece.at, given, VKI_PROT_WRITE)) return False;
    bytes -= given;
  }
  return True;
}

/* Copies `bytes` bytes of `from` into the pieces, after their first `behind` bytes. */
static void Give(const struct system_log_pieces* pieces, SizeT behind, const UChar* from,
                 SizeT bytes) {
  for (UInt i = 0; i < pieces->used && bytes > 0; ++i) {
    const struct system_log_piece piece = pieces->piece[i];
    if (behind >= piece.bytes) {
      behind -= piece.bytes;
      continue;
    }
    const SizeT room = piece.bytes - behind;
    const SizeT given = room < bytes ? room : bytes;
    VG_(memcpy)((void*)(piece.at + behind), from, given);
    behind = 0;
    from += given;
    bytes -= given;
  }
}

/* SplitMix64 bytes for requests after the end of the log; the same in every run. */
static UChar NextMadeByte(void) {
  static ULong state;
  state += 0x9e3779b97f4a7c15ULL;
  ULong mixed = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9ULL;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebULL;
  return (UChar)(mixed >> 56);
}

/* A request for random numbers always gets as many bytes as it asked for. */
static Bool PlayRandom(const struct question* question, Long* result) {
  const SizeT room = question_room(question);
  struct system_log_played* stream = system_log_find(&question->source);
  SizeT given = 0;
  if (!CanWrite(&question->pieces, room)) return False;
  *result = (Long)room;
  if (stream != NULL && stream->next < stream->answers) {
    const struct tare_system_log_record* record = system_log_answer(stream, stream->next++);
    if (record->result < 0) {
      *result = record->result;
      return True;
    }
    given = record->bytes < room ? record->bytes : room;
    Give(&question->pieces, 0, system_log_payload(record), given);
  }
  for (; given < room; ++given) {
    const UChar made = NextMadeByte();
    Give(&question->pieces, given, &made, 1);
  }
  return True;
}

/* Replays bytes of a file. What does not fit is delivered by the next request, as the rest of a
 * file would be. */
static Bool PlayBytes(const struct question* question, struct system_log_played* stream,
                      Long* result) {
  const struct tare_system_log_record* record = system_log_answer(stream, stream->next);
  const SizeT room = question_room(question);
  const SizeT left = record->bytes - stream->taken;
  const SizeT given = left < room ? left : room;
  if (!CanWrite(&question->pieces, given)) return False;
  Give(&question->pieces, 0, system_log_payload(record) + stream->taken, given);
  *result = record->result < 0 ? record->result : (Long)given;
  stream->taken += (UInt)given;
  if (stream->taken == record->bytes) {
    stream->taken = 0;
    ++stream->next;
  }
  return True;
}

static Bool PlayStructure(const struct question* question, struct system_log_played* stream,
                          Long* result) {
  const struct tare_system_log_record* record = system_log_answer(stream, stream->next);
  const SizeT room = question_room(question);
  const SizeT given = record->bytes < room ? record->bytes : room;
  if (!CanWrite(&question->pieces, given)) return False;
  Give(&question->pieces, 0, system_log_payload(record), given);
  *result = record->result;
  ++stream->next;
  return True;
}

static Bool PlayTime(const struct question* question, struct system_log_played* stream,
                     Long* result) {
  enum { kMaxBytes = 32 };
  const UInt call = question->source.call;
  const SizeT room = question_room(question);
  if (room > kMaxBytes || !CanWrite(&question->pieces, room)) return False;
  const struct tare_system_log_record* record;
  const ULong time = played_time_next(stream, call, &record);
  UChar structure[kMaxBytes] = {0};
  VG_(memcpy)(structure, system_log_payload(record),
              record->bytes < kMaxBytes ? record->bytes : kMaxBytes);
  *result = record->result;
  if (*result >= 0) {
    played_time_store(call, time, result, structure, room);
    Give(&question->pieces, 0, structure, room);
  }
  return True;
}

Bool playing_answer(const struct question* question, Long* result) {
  const struct system_log_source* source = &question->source;
  if (question->form == kCounted || !system_log_plays(source->kind)) return False;
  if (source->kind == TARE_SYSTEM_LOG_RANDOM) return PlayRandom(question, result);
  struct system_log_played* stream = system_log_find(source);
  if (stream == NULL) return False;
  if (source->kind == TARE_SYSTEM_LOG_TIME && played_time_goes_on(source->call)) {
    return PlayTime(question, stream, result);
  }
  if (stream->next == stream->answers) return False;
  return question->form == kStream ? PlayBytes(question, stream, result)
                                   : PlayStructure(question, stream, result);
}

static void PlayRandomInstruction(struct system_log_played* stream, ULong* word) {
  if (stream != NULL && stream->next < stream->answers) {
    const struct tare_system_log_record* record = system_log_answer(stream, stream->next++);
    if (record->bytes >= sizeof *word) VG_(memcpy)(word, system_log_payload(record), sizeof *word);
    return;
  }
  /* VEX's helper returns 32 bits per call; bit 32 is the carry flag, which reports success. */
  *word = 1;
  for (Int i = 0; i < 4; ++i) *word = *word << 8 | NextMadeByte();
}

void playing_instruction(const struct system_log_source* source, ULong* words) {
  if (!system_log_plays(source->kind)) return;
  struct system_log_played* stream = system_log_find(source);
  if (source->kind == TARE_SYSTEM_LOG_RANDOM) {
    PlayRandomInstruction(stream, words);
  } else if (stream != NULL) {
    const struct tare_system_log_record* record;
    words[0] = played_time_next(stream, source->call, &record);
    if (record->bytes >= 16) VG_(memcpy)(&words[1], system_log_payload(record) + 8, 8);
  }
}
