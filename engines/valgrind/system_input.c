/* system_input.c: hooks for system calls, and for instructions that read a clock or a random
 * number. */
#include "system_input.h"

#include <stddef.h>

#include "libvex_guest_amd64.h"
#include "libvex_guest_arm64.h"
#include "replay.h"
#include "system_call_input.h"
#include "system_log.h"

static Bool active;

#if defined(VGA_amd64)
enum { kResultOffset = offsetof(VexGuestAMD64State, guest_RAX) };
#else
enum { kResultOffset = offsetof(VexGuestARM64State, guest_X0) };
#endif

Bool system_input_requested(const struct system_input_options* options) {
  return options->record != NULL || options->replay_time != NULL ||
         options->replay_random != NULL || options->replay_system != NULL;
}

void system_input_begin(const struct system_input_options* options) {
  if (options->record != NULL) system_log_record_to(options->record);
  if (options->replay_time != NULL)
    system_log_replay_from(options->replay_time, TARE_SYSTEM_LOG_TIME);
  if (options->replay_random != NULL)
    system_log_replay_from(options->replay_random, TARE_SYSTEM_LOG_RANDOM);
  if (options->replay_system != NULL)
    system_log_replay_from(options->replay_system, TARE_SYSTEM_LOG_SYSTEM);
  system_call_input_begin();
  active = True;
}

void system_input_stop(void) {
  active = False;
  system_log_stop();
}

static void Record(const struct system_call_input* input, Long result) {
  static UInt paths;
  system_log_count_request(input->source.kind);
  if (input->form == kCounted) return;
  if (input->source.kind == TARE_SYSTEM_LOG_PATH) {
    if (paths == TARE_SYSTEM_LOG_PATHS || system_log_knows(&input->source)) return;
    ++paths;
  }
  SizeT bytes = system_call_input_capacity(input);
  if (result < 0) bytes = 0;
  if (input->form == kStream && (Long)bytes > result) bytes = result < 0 ? 0 : (SizeT)result;
  system_log_append(&input->source, result, &input->pieces, bytes);
}

void system_input_before_call(UInt number) {
  if (active && system_log_records()) system_log_count_call(number);
}

void system_input_after_call(ThreadId thread, UInt number, const UWord* arguments,
                             SysRes returned) {
  static struct system_call_input input;
  if (!active || !system_call_input_of(number, arguments, returned, &input)) return;
  Long result = sr_isError(returned) ? -(Long)sr_Err(returned) : (Long)sr_Res(returned);
  if (replay_call(&input, &result)) {
    VG_(set_shadow_regs_area)(thread, 0, kResultOffset, sizeof result, (const UChar*)&result);
  }
  if (system_log_records()) Record(&input, result);
}

/* Replays or records the result of an instruction; `words` contain the processor's result. */
static void HandleInstruction(UInt kind, UInt call, ULong* words, UInt count) {
  static struct system_call_input input;
  if (!active) return;
  const HChar* name = kind == TARE_SYSTEM_LOG_TIME ? "clock instruction" : "random instruction";
  input.source = (struct system_log_source){kind, call, 0, name};
  input.form = kStructure;
  input.pieces.used = 1;
  input.pieces.piece[0] = (struct system_log_piece){(Addr)words, count * sizeof *words};
  replay_instruction(&input.source, words);
  if (system_log_records()) Record(&input, 0);
}

#if defined(VGA_amd64)

extern ULong amd64g_dirtyhelper_RDTSC(void);
extern void amd64g_dirtyhelper_RDTSCP(VexGuestAMD64State* state);
extern ULong amd64g_dirtyhelper_RDRAND(void);
extern ULong amd64g_dirtyhelper_RDSEED(void);

static ULong ReadClock(void) {
  ULong words[2] = {amd64g_dirtyhelper_RDTSC(), 0};
  HandleInstruction(TARE_SYSTEM_LOG_TIME, TARE_SYSTEM_LOG_CLOCK_INSTRUCTION, words, 2);
  return words[0];
}

static void ReadClockAndCore(VexGuestAMD64State* state) {
  amd64g_dirtyhelper_RDTSCP(state);
  ULong words[2] = {(state->guest_RDX << 32) | (UInt)state->guest_RAX, state->guest_RCX};
  HandleInstruction(TARE_SYSTEM_LOG_TIME, TARE_SYSTEM_LOG_CLOCK_INSTRUCTION, words, 2);
  state->guest_RAX = (UInt)words[0];
  state->guest_RDX = words[0] >> 32;
  state->guest_RCX = (UInt)words[1];
}

static ULong ReadRandom(void) {
  ULong words[1] = {amd64g_dirtyhelper_RDRAND()};
  HandleInstruction(TARE_SYSTEM_LOG_RANDOM, TARE_SYSTEM_LOG_RANDOM_INSTRUCTION, words, 1);
  return words[0];
}

static ULong ReadSeed(void) {
  ULong words[1] = {amd64g_dirtyhelper_RDSEED()};
  HandleInstruction(TARE_SYSTEM_LOG_RANDOM, TARE_SYSTEM_LOG_RANDOM_INSTRUCTION, words, 1);
  return words[0];
}

void system_input_redirect(IRDirty* call) {
  if (!active) return;
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
  HandleInstruction(TARE_SYSTEM_LOG_TIME, TARE_SYSTEM_LOG_CLOCK_INSTRUCTION, words, 2);
  return words[0];
}

void system_input_redirect(IRDirty* call) {
  if (!active) return;
  const HChar* name = call->cee->name;
  if (VG_(strcmp)(name, "arm64g_dirtyhelper_MRS_CNTVCT_EL0") == 0) call->cee->addr = ReadClock;
}

#endif
