/* replay.c: overwrites the system inputs of a call or an instruction with those of a system
 * log. */
#include "replay.h"

#include "replayed_time.h"

/* The real call may have failed where the recorded one succeeded. Then the kernel has not checked
 * the buffers. */
static Bool CanWrite(const struct system_log_pieces* pieces, SizeT bytes) {
  for (UInt i = 0; i < pieces->used && bytes > 0; ++i) {
    const struct system_log_piece piece = pieces->piece[i];
    const SizeT copied = piece.bytes < bytes ? piece.bytes : bytes;
    if (!VG_(am_is_valid_for_client)(piece.at, copied, VKI_PROT_WRITE)) return False;
    bytes -= copied;
  }
  return True;
}

/* Copies `bytes` bytes of `from` into the pieces, after their first `skip` bytes. */
static void CopyTo(const struct system_log_pieces* pieces, SizeT skip, const UChar* from,
                   SizeT bytes) {
  for (UInt i = 0; i < pieces->used && bytes > 0; ++i) {
    const struct system_log_piece piece = pieces->piece[i];
    if (skip >= piece.bytes) {
      skip -= piece.bytes;
      continue;
    }
    const SizeT room = piece.bytes - skip;
    const SizeT copied = room < bytes ? room : bytes;
    VG_(memcpy)((void*)(piece.at + skip), from, copied);
    skip = 0;
    from += copied;
    bytes -= copied;
  }
}

/* SplitMix64 bytes for requests after the end of the log; the same in every run. */
static UChar NextGeneratedByte(void) {
  static ULong state;
  state += 0x9e3779b97f4a7c15ULL;
  ULong mixed = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9ULL;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebULL;
  return (UChar)(mixed >> 56);
}

/* A request for random numbers always gets as many bytes as it requested. */
static Bool ReplayRandom(const struct system_call_input* input, Long* result) {
  const SizeT room = system_call_input_capacity(input);
  struct system_log_stream_state* stream = system_log_find(&input->source);
  SizeT copied = 0;
  if (!CanWrite(&input->pieces, room)) return False;
  *result = (Long)room;
  if (stream != NULL && stream->next < stream->inputs) {
    const struct tare_system_log_record* record = system_log_input(stream, stream->next++);
    if (record->result < 0) {
      *result = record->result;
      return True;
    }
    copied = record->bytes < room ? record->bytes : room;
    CopyTo(&input->pieces, 0, system_log_payload(record), copied);
  }
  for (; copied < room; ++copied) {
    const UChar generated = NextGeneratedByte();
    CopyTo(&input->pieces, copied, &generated, 1);
  }
  return True;
}

/* Replays bytes of a file. What does not fit is delivered by the next request, as the rest of a
 * file would be. */
static Bool ReplayBytes(const struct system_call_input* input,
                        struct system_log_stream_state* stream, Long* result) {
  const struct tare_system_log_record* record = system_log_input(stream, stream->next);
  const SizeT room = system_call_input_capacity(input);
  const SizeT left = record->bytes - stream->taken;
  const SizeT copied = left < room ? left : room;
  if (!CanWrite(&input->pieces, copied)) return False;
  CopyTo(&input->pieces, 0, system_log_payload(record) + stream->taken, copied);
  *result = record->result < 0 ? record->result : (Long)copied;
  stream->taken += (UInt)copied;
  if (stream->taken == record->bytes) {
    stream->taken = 0;
    ++stream->next;
  }
  return True;
}

static Bool ReplayStructure(const struct system_call_input* input,
                            struct system_log_stream_state* stream, Long* result) {
  const struct tare_system_log_record* record = system_log_input(stream, stream->next);
  const SizeT room = system_call_input_capacity(input);
  const SizeT copied = record->bytes < room ? record->bytes : room;
  if (!CanWrite(&input->pieces, copied)) return False;
  CopyTo(&input->pieces, 0, system_log_payload(record), copied);
  *result = record->result;
  ++stream->next;
  return True;
}

static Bool ReplayTime(const struct system_call_input* input,
                       struct system_log_stream_state* stream, Long* result) {
  enum { kMaxBytes = 32 };
  const UInt call = input->source.call;
  const SizeT room = system_call_input_capacity(input);
  if (room > kMaxBytes || !CanWrite(&input->pieces, room)) return False;
  const struct tare_system_log_record* record;
  const ULong time = replayed_time_next(stream, call, &record);
  UChar structure[kMaxBytes] = {0};
  VG_(memcpy)(structure, system_log_payload(record),
              record->bytes < kMaxBytes ? record->bytes : kMaxBytes);
  *result = record->result;
  if (*result >= 0) {
    replayed_time_store(call, time, result, structure, room);
    CopyTo(&input->pieces, 0, structure, room);
  }
  return True;
}

Bool replay_call(const struct system_call_input* input, Long* result) {
  const struct system_log_source* source = &input->source;
  if (input->form == kCounted || !system_log_replays(source->kind)) return False;
  if (source->kind == TARE_SYSTEM_LOG_RANDOM) return ReplayRandom(input, result);
  struct system_log_stream_state* stream = system_log_find(source);
  if (stream == NULL) return False;
  if (source->kind == TARE_SYSTEM_LOG_TIME && replayed_time_advances(source->call)) {
    return ReplayTime(input, stream, result);
  }
  if (stream->next == stream->inputs) return False;
  return input->form == kStream ? ReplayBytes(input, stream, result)
                                : ReplayStructure(input, stream, result);
}

static void ReplayRandomInstruction(struct system_log_stream_state* stream, ULong* word) {
  if (stream != NULL && stream->next < stream->inputs) {
    const struct tare_system_log_record* record = system_log_input(stream, stream->next++);
    if (record->bytes >= sizeof *word) VG_(memcpy)(word, system_log_payload(record), sizeof *word);
    return;
  }
  /* VEX's helper returns 32 bits per call; bit 32 is the carry flag, which reports success. */
  *word = 1;
  for (Int i = 0; i < 4; ++i) *word = *word << 8 | NextGeneratedByte();
}

void replay_instruction(const struct system_log_source* source, ULong* words) {
  if (!system_log_replays(source->kind)) return;
  struct system_log_stream_state* stream = system_log_find(source);
  if (source->kind == TARE_SYSTEM_LOG_RANDOM) {
    ReplayRandomInstruction(stream, words);
  } else if (stream != NULL) {
    const struct tare_system_log_record* record;
    words[0] = replayed_time_next(stream, source->call, &record);
    if (record->bytes >= 16) VG_(memcpy)(&words[1], system_log_payload(record) + 8, 8);
  }
}
