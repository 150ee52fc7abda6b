/* asked.c: hooks for system calls, and for instructions that read a clock or a random number. */
#include "asked.h"

#include <stddef.h>

#include "libvex_guest_amd64.h"
#include "libvex_guest_arm64.h"
#include "playing.h"
#include "question.h"
#include "system_log.h"

static Bool watching;

#if defined(VGA_amd64)
enum { kResultPlace = offsetof(VexGuestAMD64State, guest_RAX) };
#else
enum { kResultPlace = offsetof(VexGuestARM64State, guest_X0) };
#endif

Bool asked_wanted(const struct asked_options* options) {
  return options->record != NULL || options->play_time != NULL || options->play_random != NULL ||
         options->play_system != NULL;
}

void asked_begin(const struct asked_options* options) {
  if (options->record != NULL) system_log_record_to(options->record);
  if (options->play_time != NULL) system_log_play_from(options->play_time, TARE_SYSTEM_LOG_TIME);
  if (options->play_random != NULL)
    system_log_play_from(options->play_random, TARE_SYSTEM_LOG_RANDOM);
  if (options->play_system != NULL)
    system_log_play_from(options->play_system, TARE_SYSTEM_LOG_SYSTEM);
  question_begin();
  watching = True;
}

void asked_leave(void) {
  watching = False;
  system_log_leave();
}

static void Record(const struct question* question, Long result) {
  static UInt paths;
  system_log_count_question(question->source.kind);
  if (question->form == kCounted) return;
  if (question->source.kind == TARE_SYSTEM_LOG_PATH) {
    if (paths == TARE_SYSTEM_LOG_PATHS || system_log_knows(&question->source)) return;
    ++paths;
  }
  SizeT bytes = question_room(question);
  if (result < 0) bytes = 0;
  if (question->form == kStream && (Long)bytes > result) bytes = result < 0 ? 0 : (SizeT)result;
  system_log_append(&question->source, result, &question->pieces, bytes);
}

void asked_before(UInt number) {
  if (watching && system_log_records()) system_log_count_call(number);
}

void asked_after(ThreadId thread, UInt number, const UWord* arguments, SysRes answer) {
  static struct question question;
  if (!watching || !question_of(number, arguments, answer, &question)) return;
  Long result = sr_isError(answer) ? -(Long)sr_Err(answer) : (Long)sr_Res(answer);
  if (playing_answer(&question, &result)) {
    VG_(set_shadow_regs_area)(thread, 0, kResultPlace, sizeof result, (const UChar*)&result);
  }
  if (system_log_records()) Record(&question, result);
}

/* Replays or records the result of an instruction; `words` contain the processor's result. */
static void AskInstruction(UInt kind, UInt call, ULong* words, UInt count) {
  static struct question question;
  if (!watching) return;
  const HChar* name = kind == TARE_SYSTEM_LOG_TIME ? "clock instruction" : "random instruction";
  question.source = (struct system_log_source){kind, call, 0, name};
  question.form = kStructure;
  question.pieces.used = 1;
  question.pieces.piece[0] = (struct system_log_piece){(Addr)words, count * sizeof *words};
  playing_instruction(&question.source, words);
  if (system_log_records()) Record(&question, 0);
}

#if defined(VGA_amd64)

extern ULong amd64g_dirtyhelper_RDTSC(void);
extern void amd64g_dirtyhelper_RDTSCP(VexGuestAMD64State* state);
extern ULong amd64g_dirtyhelper_RDRAND(void);
extern ULong amd64g_dirtyhelper_RDSEED(void);

static ULong ReadClock(void) {
  ULong words[2] = {amd64g_dirtyhelper_RDTSC(), 0};
  AskInstruction(TARE_SYSTEM_LOG_TIME, TARE_SYSTEM_LOG_CLOCK_INSTRUCTION, words, 2);
  return words[0];
}

static void ReadClockAndCore(VexGuestAMD64State* state) {
  amd64g_dirtyhelper_RDTSCP(state);
  ULong words[2] = {(state->guest_RDX << 32) | (UInt)state->guest_RAX, state->guest_RCX};
  AskInstruction(TARE_SYSTEM_LOG_TIME, TARE_SYSTEM_LOG_CLOCK_INSTRUCTION, words, 2);
  state->guest_RAX = (UInt)words[0];
  state->guest_RDX = words[0] >> 32;
  state->guest_RCX = (UInt)words[1];
}

static ULong ReadRandom(void) {
  ULong words[1] = {amd64g_dirtyhelper_RDRAND()};
  AskInstruction(TARE_SYSTEM_LOG_RANDOM, TARE_SYSTEM_LOG_RANDOM_INSTRUCTION, words, 1);
  return words[0];
}

static ULong ReadSeed(void) {
  ULong words[1] = {amd64g_dirtyhelper_RDSEED()};
  AskInstruction(TARE_SYSTEM_LOG_RANDOM, TARE_SYSTEM_LOG_RANDOM_INSTRUCTION, words, 1);
  return words[0];
}

void asked_lead(IRDirty* call) {
  if (!watching) return;
  const HChar* name = call->cee->name;
  if (VG_(strcmp)(name, "amd64g_dirtyhelper_RDTSC") == 0) call->cee->addr = ReadClock;
  if (VG_(strcmp)(name, "amd64g_dirtyhelper_RDTSCP") == 0) call->cee->addr = ReadClockAndCore;
  if (VG_(strcmp)(name, "amd64g_dirtyhelper_RDRAND") == 0) call->cee->addr = ReadRandom;
  if (VG_(strcmp)(name, "amd64g_dirtyhelper_RDSEED") == 0) call->cee->addr = ReadSeed;
}

#else

extern ULong arm64g_dirtyhelper_MRS_CNTVCT_EL0(void);

static ULong ReadClock(void) {
  ULong words[2] = {arm64g_dirtyhelper_MRS_CNTVCT_EL0(), 0};
  AskInstruction(TARE_SYSTEM_LOG_TIME, TARE_SYSTEM_LOG_CLOCK_INSTRUCTION, words, 2);
  return words[0];
}

void asked_lead(IRDirty* call) {
  if (!watching) return;
  const HChar* name = call->cee->name;
  if (VG_(strcmp)(name, "arm64g_dirtyhelper_MRS_CNTVCT_EL0") == 0) call->cee->addr = ReadClock;
}

#endif
