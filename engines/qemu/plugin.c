/* plugin.c: tare's QEMU plugin: counts how often each block of code runs, per thread, and streams
 * the blocks in order on request. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "block_flow.h"
#include "engines/instruction_ends.h"
#include "guest_stack.h"
#include "plugin_api.h"
#include "recording.h"
#include "region.h"
#include "signal_handlers.h"

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

static bool is_x86;
static bool pin = true;
static bool hidden = false;
static bool with_flow = false;
static uint64_t hwcap_mask = UINT64_MAX;
static struct region region;
static pthread_mutex_t appending = PTHREAD_MUTEX_INITIALIZER;

enum { kThreads = kFlowBuffers };
static struct thread threads[kThreads];
static __thread struct thread* this_thread;
static __thread struct thread* calling_thread; /* in a system call */
static __thread uint64_t new_action;           /* argument of rt_sigaction */
static __thread uint64_t bytes_requested;      /* argument of a read or write */
static uint64_t start_of_guest;                /* its address 0, in this process */

/* A fork replaces the memory behind a thread's bank, never its address. */
static inline struct thread* ThreadOf(unsigned vcpu) {
  return vcpu < kThreads ? &threads[vcpu] : NULL;
}

/* The next block's address shows whether the previous block's branch was taken. */
static inline void EndPrevious(struct thread* thread, const struct block* now) {
  const struct block* before = thread->last;
  if (before != NULL && before->end == TARE_END_CONDITIONAL && before->following == now->address &&
      thread->last_counted) {
    ++thread->bank[before->index].second;
  }
}

static inline void Arrive(struct thread* thread, const struct block* block) {
  EndPrevious(thread, block);
  thread->last = block;
  thread->last_counted = true;
  ++thread->bank[block->index].executions;
}

static void Execute(unsigned vcpu, void* data) {
  struct thread* thread = ThreadOf(vcpu);
  if (thread != NULL && thread->bank != NULL) Arrive(thread, data);
}

static inline void Stream(struct thread* thread, uint64_t number) {
  if (number != 0 && thread->flow.words != NULL) block_flow_add(&thread->flow, number);
}

/* A handler begins where the block before does not lead: calls of the handler as a function are
 * no signals, a jump to it is taken for one. */
static inline bool BeginsHandler(const struct block* before, const struct block* now) {
  return before != NULL && now->address != before->following &&
         (before->end == TARE_END_OTHER || before->end == TARE_END_CONDITIONAL) &&
         signal_handlers_have(now->address);
}

static void ExecuteInFlow(unsigned vcpu, void* data) {
  const struct block* block = data;
  struct thread* thread = ThreadOf(vcpu);
  if (thread == NULL || thread->bank == NULL) return;
  if (BeginsHandler(thread->last, block) && thread->flow.words != NULL) {
    block_flow_mark(&thread->flow, TARE_FLOW_SIGNAL, 0);
  }
  Arrive(thread, block);
  Stream(thread, block->flow);
}

static void ArriveInRegion(struct thread* thread, const struct block* block) {
  this_thread = thread;
  EndPrevious(thread, block);
  if (region_step(thread, block)) {
    __atomic_fetch_add(&recording_header()->region_entries, 1, __ATOMIC_RELAXED);
  }
  thread->last = block;
  thread->last_counted = thread->inside;
  if (thread->inside) ++thread->bank[block->index].executions;
}

static void ExecuteInRegion(unsigned vcpu, void* data) {
  struct thread* thread = ThreadOf(vcpu);
  if (thread != NULL && thread->bank != NULL) ArriveInRegion(thread, data);
}

/* QEMU executes a repeated instruction again for each iteration; only the first execution is an
 * arrival. */
static void ExecuteRepeated(unsigned vcpu, void* data) {
  const struct block* block = data;
  struct thread* thread = ThreadOf(vcpu);
  if (thread == NULL || thread->bank == NULL) return;
  const bool again = thread->repeating == block->address;
  thread->repeating = block->address;
  thread->halves = 0;
  if (again) return;
  if (region.inode == 0) {
    Arrive(thread, block);
    Stream(thread, block->flow);
  } else {
    ArriveInRegion(thread, block);
  }
}

static void StopRepeating(unsigned vcpu, void* data) {
  struct thread* thread = ThreadOf(vcpu);
  (void)data;
  if (thread != NULL) thread->repeating = 0;
}

/* Memory accesses count the iterations: movs and stos write once, cmps reads twice. */
static void RepeatedAccess(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address,
                           void* data) {
  const struct block* block = data;
  struct thread* thread = ThreadOf(vcpu);
  (void)address;
  if (thread == NULL || thread->bank == NULL) return;
  if (region.inode != 0 && !thread->inside) return;
  if (block->repeated_writes && !qemu_plugin_mem_is_store(info)) return;
  if (block->repeated_reads_twice && (++thread->halves & 1) != 0) return;
  ++thread->bank[block->index].second;
  Stream(thread, block->flow_operation);
}

static qemu_plugin_exec_fn OnExecution(void) {
  if (with_flow) return ExecuteInFlow;
  return region.inode == 0 ? Execute : ExecuteInRegion;
}

static enum tare_end EndOf(const struct qemu_plugin_insn* instruction) {
  const uint8_t* code = qemu_plugin_insn_data(instruction);
  const uint32_t size = (uint32_t)qemu_plugin_insn_size(instruction);
  if (is_x86) return tare_x86_end(code, size);
  uint32_t word;
  memcpy(&word, code, sizeof word);
  return tare_a64_end(word);
}

/* Describes instructions [from, to) of the translation as one block of the recording. */
static struct block* Describe(const struct qemu_plugin_tb* tb, size_t from, size_t to,
                              uint32_t flags) {
  uint8_t code[4096];
  struct tare_wire_block wire = {.flags = flags, .instructions = (uint32_t)(to - from)};
  for (size_t i = from; i < to; ++i) {
    const struct qemu_plugin_insn* instruction = qemu_plugin_tb_get_insn(tb, i);
    const size_t size = qemu_plugin_insn_size(instruction);
    if (wire.code_bytes + size > sizeof code) return NULL;
    memcpy(code + wire.code_bytes, qemu_plugin_insn_data(instruction), size);
    wire.code_bytes += (uint32_t)size;
  }
  wire.address = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, from));
  const uint64_t index = recording_add_block(&wire, code);
  if (index == TARE_WIRE_NO_BLOCK) return NULL;
  struct block* block = calloc(1, sizeof *block);
  if (block == NULL) return NULL;
  block->address = wire.address;
  block->following = wire.address + wire.code_bytes;
  block->index = index;
  block->end = EndOf(qemu_plugin_tb_get_insn(tb, to - 1));
  if (with_flow) block->flow = recording_add_flow(index, false);
  if (with_flow && flags == TARE_WIRE_REPEATED) {
    block->flow_operation = recording_add_flow(index, true);
  }
  return block;
}

static bool EntersRegion(const struct block* block) {
  return region.address != 0 && block->address == region.address;
}

static void CountRepeated(struct qemu_plugin_tb* tb, size_t at) {
  struct qemu_plugin_insn* instruction = qemu_plugin_tb_get_insn(tb, at);
  struct block* block = Describe(tb, at, at + 1, TARE_WIRE_REPEATED);
  if (block == NULL) return;
  const uint8_t* code = qemu_plugin_insn_data(instruction);
  uint8_t operation = code[0];
  for (size_t i = 0; i < qemu_plugin_insn_size(instruction); ++i) operation = code[i];
  block->repeated_writes = (operation & 0xfe) == 0xa4 || (operation & 0xfe) == 0xaa;
  block->repeated_reads_twice = (operation & 0xfe) == 0xa6;
  block->end = TARE_END_OTHER;
  block->enters_region = EntersRegion(block);
  qemu_plugin_register_vcpu_mem_cb(instruction, RepeatedAccess, QEMU_PLUGIN_CB_NO_REGS,
                                   QEMU_PLUGIN_MEM_RW, block);
  qemu_plugin_register_vcpu_insn_exec_cb(instruction, ExecuteRepeated, QEMU_PLUGIN_CB_NO_REGS,
                                         block);
}

static struct block* DescribePlain(const struct qemu_plugin_tb* tb, size_t from, size_t to) {
  const enum tare_end end = EndOf(qemu_plugin_tb_get_insn(tb, to - 1));
  struct block* block =
      Describe(tb, from, to, end == TARE_END_CONDITIONAL ? TARE_WIRE_CONDITIONAL : 0);
  if (block != NULL) block->enters_region = EntersRegion(block);
  return block;
}

static void CountPlain(struct qemu_plugin_tb* tb, size_t instructions) {
  struct block* block = DescribePlain(tb, 0, instructions);
  if (block == NULL) return;
  qemu_plugin_register_vcpu_tb_exec_cb(tb, OnExecution(), QEMU_PLUGIN_CB_NO_REGS, block);
  if (is_x86) qemu_plugin_register_vcpu_tb_exec_cb(tb, StopRepeating, QEMU_PLUGIN_CB_NO_REGS, NULL);
}

/* Counts the last instruction of a translation as a separate block, when it is reached. */
static void CountLast(struct qemu_plugin_tb* tb, size_t at) {
  struct block* block = DescribePlain(tb, at, at + 1);
  if (block == NULL) return;
  qemu_plugin_register_vcpu_insn_exec_cb(qemu_plugin_tb_get_insn(tb, at), OnExecution(),
                                         QEMU_PLUGIN_CB_NO_REGS, block);
}

/* An x86 instruction that crosses a page ends the translation before it. QEMU still shows it as the
 * last instruction, truncated; it never runs there. */
static bool MayBeCut(const struct qemu_plugin_insn* last) {
  enum { kPage = 4096, kMaxBytes = 15 };
  return is_x86 && qemu_plugin_insn_vaddr(last) % kPage > kPage - kMaxBytes;
}

static void Translate(qemu_plugin_id_t id, struct qemu_plugin_tb* tb) {
  static bool started;
  const size_t count = qemu_plugin_tb_n_insns(tb);
  (void)id;
  if (count == 0) return;
  const struct qemu_plugin_insn* first = qemu_plugin_tb_get_insn(tb, 0);
  const struct qemu_plugin_insn* last = qemu_plugin_tb_get_insn(tb, count - 1);
  const uint64_t address = qemu_plugin_insn_vaddr(first);
  const uint64_t guest_base = (uint64_t)(uintptr_t)qemu_plugin_insn_haddr(first) - address;
  pthread_mutex_lock(&appending);
  start_of_guest = guest_base;
  if (!started && (pin || hidden) && !guest_prepare_stack(guest_base, pin ? &hwcap_mask : NULL)) {
    fprintf(stderr,
            "tare: the guest's auxiliary vector was not found; processor features are not fixed\n");
  }
  started = true;
  const struct mapped_file file = recording_object_at(address, guest_base);
  region_locate(&region, &file);
  const bool repeated = is_x86 && tare_x86_is_repeated(qemu_plugin_insn_data(last),
                                                       (uint32_t)qemu_plugin_insn_size(last));
  const bool apart = !repeated && count > 1 && MayBeCut(last);
  const size_t plain = repeated || apart ? count - 1 : count;
  if (plain > 0) CountPlain(tb, plain);
  if (repeated) CountRepeated(tb, count - 1);
  if (apart) CountLast(tb, count - 1);
  pthread_mutex_unlock(&appending);
}

static void StartThread(qemu_plugin_id_t id, unsigned vcpu) {
  struct thread* thread = ThreadOf(vcpu);
  (void)id;
  pthread_mutex_lock(&appending);
  struct tare_wire_counters* bank = recording_bank(vcpu);
  ++recording_header()->threads;
  if (thread == NULL || bank == NULL) {
    ++recording_header()->lost_threads;
  } else {
    region_start_thread(thread, this_thread);
    if (!with_flow || block_flow_start_thread(&thread->flow, vcpu)) {
      thread->bank = bank;
    } else {
      ++recording_header()->lost_threads;
    }
  }
  pthread_mutex_unlock(&appending);
}

static bool SetsHandler(int64_t number) { return number == (is_x86 ? 13 : 134); }

static bool IsExec(int64_t number) { return number == (is_x86 ? 59 : 221); }

/* mmap, mprotect, munmap. Others that change mappings, such as shmat, are rare and ignored. */
static bool ChangesMappings(int64_t number) {
  if (is_x86) return number >= 9 && number <= 11;
  return number == 222 || number == 215 || number == 226;
}

/* read, write, pread64, pwrite64, sendto, recvfrom: the third argument is a number of bytes, and
 * the result is how many were moved. */
static bool IsTransfer(int64_t number) {
  if (is_x86) return number <= 1 || number == 17 || number == 18 || number == 44 || number == 45;
  return number == 63 || number == 64 || number == 67 || number == 68 || number == 206 ||
         number == 207;
}

static void BeforeCall(qemu_plugin_id_t id, unsigned vcpu, int64_t number, uint64_t a1, uint64_t a2,
                       uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7,
                       uint64_t a8) {
  struct thread* thread = ThreadOf(vcpu);
  (void)id, (void)a1, (void)a4, (void)a5, (void)a6, (void)a7, (void)a8;
  if (with_flow && thread != NULL) block_flow_hand_over(&thread->flow);
  calling_thread = thread;
  new_action = SetsHandler(number) ? a2 : 0;
  bytes_requested = a3;
  if (IsExec(number)) recording_header()->state = TARE_WIRE_REPLACED;
}

static void AfterCall(qemu_plugin_id_t id, unsigned vcpu, int64_t number, int64_t result) {
  (void)id, (void)vcpu;
  /* QEMU has read the structure, so it is there. The handler is its first member. */
  if (with_flow && new_action != 0 && SetsHandler(number) && result == 0) {
    uint64_t handler;
    memcpy(&handler, (const void*)(uintptr_t)(new_action + start_of_guest), sizeof handler);
    signal_handlers_add(handler);
  }
  if (IsExec(number)) recording_header()->state = TARE_WIRE_RUNNING;
  if (ChangesMappings(number)) recording_mappings_changed();
  if (IsTransfer(number)) tare_wire_add_transfer(recording_header(), bytes_requested, result);
}

static void BeforeFork(void) {
  pthread_mutex_lock(&appending);
  if (with_flow) block_flow_before_fork();
  recording_before_fork();
}
static void AfterForkInParent(void) {
  if (with_flow) block_flow_after_fork();
  pthread_mutex_unlock(&appending);
}

/* The words of other threads are the parent's; the thread that forks has none. */
static void AfterForkInChild(void) {
  recording_fork();
  if (with_flow) block_flow_fork(calling_thread == NULL ? NULL : &calling_thread->flow);
  pthread_mutex_unlock(&appending);
}

/* QEMU has removed the callbacks and waited for the other threads to leave them. */
static void Finish(qemu_plugin_id_t id, void* data) {
  (void)id, (void)data;
  for (unsigned i = 0; with_flow && i < kThreads; ++i) block_flow_hand_over(&threads[i].flow);
  if (with_flow) block_flow_end();
  recording_header()->state = TARE_WIRE_SEALED;
}

static const char* ValueOf(const char* argument, const char* name) {
  const size_t length = strlen(name);
  return strncmp(argument, name, length) == 0 && argument[length] == '=' ? argument + length + 1
                                                                         : NULL;
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t* info, int argc,
                                           char** argv) {
  const char* directory = NULL;
  for (int i = 0; i < argc; ++i) {
    const char* value;
    if ((value = ValueOf(argv[i], "directory")) != NULL) {
      directory = value;
    } else if ((value = ValueOf(argv[i], "region")) != NULL) {
      if (!region_parse(&region, value)) return -1;
    } else if ((value = ValueOf(argv[i], "hwcap")) != NULL) {
      hwcap_mask = strtoull(value, NULL, 16);
    } else if ((value = ValueOf(argv[i], "hidden")) != NULL) {
      hidden = strcmp(value, "yes") == 0 || strcmp(value, "on") == 0;
    } else if ((value = ValueOf(argv[i], "flow")) != NULL) {
      with_flow = strcmp(value, "yes") == 0 || strcmp(value, "on") == 0;
    } else if ((value = ValueOf(argv[i], "pin")) != NULL) {
      pin = strcmp(value, "yes") == 0 || strcmp(value, "on") == 0;
    } else {
      fprintf(stderr, "tare: unknown plugin argument: %s\n", argv[i]);
      return -1;
    }
  }
  is_x86 = strcmp(info->target_name, "x86_64") == 0;
  if (directory == NULL || (!is_x86 && strcmp(info->target_name, "aarch64") != 0)) return -1;
  if (!recording_open(directory, is_x86 ? TARE_WIRE_X86_64 : TARE_WIRE_AARCH64)) return -1;
  recording_header()->has_region = region.inode != 0;
  if (with_flow && (region.inode != 0 || !block_flow_open())) return -1;
  pthread_atfork(BeforeFork, AfterForkInParent, AfterForkInChild);
  qemu_plugin_register_vcpu_init_cb(id, StartThread);
  qemu_plugin_register_vcpu_tb_trans_cb(id, Translate);
  qemu_plugin_register_vcpu_syscall_cb(id, BeforeCall);
  qemu_plugin_register_vcpu_syscall_ret_cb(id, AfterCall);
  qemu_plugin_register_atexit_cb(id, Finish, NULL);
  return 0;
}
