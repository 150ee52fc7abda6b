/* replayed_time.c: replayed clocks, which never go backwards and are the same in every run. */
#include "replayed_time.h"

enum { kNanoseconds = 1000000000, kMicroseconds = 1000000 };

#if defined(__NR_time)
static const UInt kCallTime = __NR_time;
#else
static const UInt kCallTime = ~0u;
#endif

static Bool TimeIsResult(UInt call) { return call == __NR_times || call == kCallTime; }

static ULong UnitsPerSecond(UInt call) {
  if (call == __NR_clock_gettime) return kNanoseconds;
  return call == __NR_gettimeofday ? kMicroseconds : 0;
}

Bool replayed_time_advances(UInt call) {
  return TimeIsResult(call) || UnitsPerSecond(call) != 0 ||
         call == TARE_SYSTEM_LOG_CLOCK_INSTRUCTION;
}

/* Returns False when the record has no time: the call failed, or had no buffer for it. */
static Bool TimeOf(UInt call, const struct tare_system_log_record* record, ULong* time) {
  if (TimeIsResult(call)) {
    *time = (ULong)record->result;
    return record->result >= 0;
  }
  ULong words[2];
  if (record->result != 0 || record->bytes < sizeof words) return False;
  VG_(memcpy)(words, system_log_payload(record), sizeof words);
  const ULong units = UnitsPerSecond(call);
  *time = units == 0 ? words[0] : words[0] * units + words[1];
  return True;
}

static Int CompareSteps(const void* a, const void* b) {
  const ULong first = *(const ULong*)a;
  const ULong second = *(const ULong*)b;
  return first < second ? -1 : first > second;
}

/* For a log without any time step: one microsecond per request. */
static void GuessStep(struct system_log_stream_state* stream, UInt call) {
  stream->step = 1;
  stream->step_requests = 1;
  if (call == __NR_clock_gettime || call == TARE_SYSTEM_LOG_CLOCK_INSTRUCTION) stream->step = 1000;
  if (call == __NR_times) stream->step_requests = 10000;
  if (call == kCallTime) stream->step_requests = kMicroseconds;
}

/* The median step; the mean for a clock so coarse that its median step is 0. */
static void FindStep(struct system_log_stream_state* stream, UInt call) {
  ULong* steps = VG_(malloc)("tare.steps", stream->inputs * sizeof(ULong));
  UInt used = 0;
  ULong sum = 0;
  ULong before = 0;
  Bool has_before = False;
  for (UInt i = 0; i < stream->inputs; ++i) {
    ULong now;
    if (!TimeOf(call, system_log_input(stream, i), &now)) continue;
    if (has_before) steps[used++] = now > before ? now - before : 0;
    if (has_before) sum += steps[used - 1];
    before = now;
    has_before = True;
  }
  GuessStep(stream, call);
  VG_(ssort)(steps, used, sizeof(ULong), CompareSteps);
  if (used > 0 && steps[used / 2] > 0) {
    stream->step = steps[used / 2];
    stream->step_requests = 1;
  } else if (sum > 0) {
    stream->step = sum;
    stream->step_requests = used;
  }
  VG_(free)(steps);
}

ULong replayed_time_next(struct system_log_stream_state* stream, UInt call,
                         const struct tare_system_log_record** record) {
  if (stream->next < stream->inputs) {
    *record = system_log_input(stream, stream->next++);
    ULong time;
    if (TimeOf(call, *record, &time) && time > stream->last) stream->last = time;
    return stream->last;
  }
  if (stream->step == 0) FindStep(stream, call);
  *record = system_log_input(stream, stream->inputs - 1);
  ++stream->past_end;
  return stream->last + stream->past_end * stream->step / stream->step_requests;
}

void replayed_time_store(UInt call, ULong time, Long* result, UChar* structure, SizeT bytes) {
  const ULong units = UnitsPerSecond(call);
  if (TimeIsResult(call)) *result = (Long)time;
  if (call == __NR_times) return;
  if (units == 0 && bytes >= 8) VG_(memcpy)(structure, &time, 8);
  if (units != 0 && bytes >= 16) {
    const ULong words[2] = {time / units, time % units};
    VG_(memcpy)(structure, words, sizeof words);
  }
}
