/* main.c: tare's Valgrind tool: counts executions of blocks, or streams them in order. */
#include "core.h"
#include "counting.h"
#include "flow.h"
#include "flow_code.h"
#include "flow_filter.h"
#include "flow_sparse.h"
#include "format/start_stack.h"
#include "job_control.h"
#include "memory_layout.h"
#include "recording.h"
#include "region.h"
#include "system_input.h"

static const HChar* option_directory;
static const HChar* option_region;
static Bool option_pin = True;
static const HChar* option_hwcap = "0xffffffffffffffff";
static Int option_further_mappings = 0;
static struct system_input_options option_logs;
static struct memory_layout option_layout;
static Bool option_flow = False;
static Long option_flow_sample = 0;
static Long option_flow_first = 0;
static const HChar* option_flow_filter;
static const HChar* option_flow_pages;
static Bool option_flow_dirty = True;
static const HChar* option_flow_burst;
static Long option_flow_groups = 0;
static const HChar* option_flow_windows;
static const Long kMaxSample = 1LL << 60;

/* The core calls this instead of VG_(di_notify_mmap), which reads the symbols and the debug
 * information of every file that is mapped to execute. The tool uses neither, and Debian's valgrind
 * depends on libc6-dbg, whose compressed sections take longer to read than a short program to run.
 * Returns a handle of what was read: none. */
ULong __wrap_vgPlain_di_notify_mmap(Addr start, Bool shared_memory, Int descriptor);
ULong __wrap_vgPlain_di_notify_mmap(Addr start, Bool shared_memory, Int descriptor) { return 0; }

static Bool ProcessOption(const HChar* argument) {
  if VG_STR_CLO (argument, "--directory", option_directory) {
  } else if VG_STR_CLO (argument, "--region", option_region) {
  } else if VG_STR_CLO (argument, "--hwcap", option_hwcap) {
  } else if VG_BOOL_CLO (argument, "--pin", option_pin) {
  } else if VG_BINT_CLO (argument, "--further-mappings", option_further_mappings, 0, 1000) {
  } else if VG_STR_CLO (argument, "--system-log", option_logs.record) {
  } else if VG_STR_CLO (argument, "--replay-time", option_logs.replay_time) {
  } else if VG_STR_CLO (argument, "--replay-random", option_logs.replay_random) {
  } else if VG_STR_CLO (argument, "--replay-system", option_logs.replay_system) {
  } else if VG_BINT_CLO (argument, "--stack-offset", option_layout.stack_bytes, 0,
                         kMaxStackOffset) {
  } else if VG_BINT_CLO (argument, "--heap-offset", option_layout.heap_bytes, 0, kMaxHeapOffset) {
  } else if VG_BINT_CLO (argument, "--mapping-offset", option_layout.mapping_bytes, 0,
                         kMaxMappingOffset) {
  } else if VG_BOOL_CLO (argument, "--flow", option_flow) {
  } else if VG_BINT_CLO (argument, "--flow-sample", option_flow_sample, 1, kMaxSample) {
  } else if VG_BINT_CLO (argument, "--flow-first", option_flow_first, 1, kMaxSample) {
  } else if VG_STR_CLO (argument, "--flow-filter", option_flow_filter) {
  } else if VG_STR_CLO (argument, "--flow-pages", option_flow_pages) {
  } else if VG_BOOL_CLO (argument, "--flow-dirty", option_flow_dirty) {
  } else if VG_STR_CLO (argument, "--flow-burst", option_flow_burst) {
  } else if VG_BINT_CLO (argument, "--flow-groups", option_flow_groups, 0, kMaxSample) {
  } else if VG_STR_CLO (argument, "--flow-windows", option_flow_windows) {
  } else {
    return False;
  }
  return True;
}

static void PrintUsage(void) {
  VG_(printf)("    --directory=PATH             directory for the recordings\n");
  VG_(printf)("    --region=DEVICE:INODE:OFFSET count inside this function only\n");
  VG_(printf)
  ("    --pin=yes|no                 fix the stack layout and processor features [yes]\n");
  VG_(printf)("    --hwcap=MASK                 AT_HWCAP features visible to the program\n");
  VG_(printf)("    --further-mappings=N         additional lines in its memory map [0]\n");
  VG_(printf)("    --system-log=FILE            record the program's system inputs\n");
  VG_(printf)("    --replay-time=FILE           replay the times of a system log\n");
  VG_(printf)("    --replay-random=FILE         replay the random numbers of a system log\n");
  VG_(printf)
  ("    --replay-system=FILE         replay the files of /proc and /sys of a system log\n");
  VG_(printf)("    --stack-offset=BYTES         move the stack down by BYTES [0]\n");
  VG_(printf)("    --heap-offset=BYTES          move the heap up by BYTES [0]\n");
  VG_(printf)("    --mapping-offset=BYTES       move mappings up by BYTES [0]\n");
  VG_(printf)("    --flow=yes|no                stream blocks and addresses in order [no]\n");
  VG_(printf)("    --flow-sample=N              wait for the reader every N instructions\n");
  VG_(printf)("    --flow-first=N               wait for the reader first after N instructions\n");
  VG_(printf)("    --flow-filter=LINE:INDEX:ENTRIES  drop accesses that repeat\n");
  VG_(printf)("    --flow-pages=PAGE:ENTRIES    keep accesses to another page\n");
  VG_(printf)("    --flow-dirty=yes|no          keep the first store to a line [yes]\n");
  VG_(printf)("    --flow-burst=N:M             drop nothing in N of every M chunks\n");
  VG_(printf)("    --flow-groups=BITS           between windows, look at these entries only [0]\n");
  VG_(printf)("    --flow-windows=N:M           drop nothing in N of every M parts [1:64]\n");
}

static void PrintDebugUsage(void) { VG_(printf)("    (none)\n"); }

static struct region ParseRegion(const HChar* text) {
  struct region region = {0, 0, 0};
  HChar* rest = NULL;
  if (text == NULL) return region;
  region.device = (ULong)VG_(strtoull10)(text, &rest);
  if (*rest == ':') region.inode = (ULong)VG_(strtoull10)(rest + 1, &rest);
  if (*rest == ':') region.offset = (ULong)VG_(strtoull10)(rest + 1, &rest);
  if (*rest != 0 || region.inode == 0) VG_(fmsg_bad_option)(text, "DEVICE:INODE:OFFSET expected\n");
  return region;
}

/* Adds mappings, to test whether the program's work depends on how many there are. The kernel does
 * not merge mappings of the same file page, so each remains separate. */
static void MapFurther(Int mappings) {
  const SysRes file = VG_(open)("/proc/self/exe", VKI_O_RDONLY, 0);
  if (sr_isError(file)) return;
  for (Int i = 0; i < mappings; ++i) {
    VG_(am_shared_mmap_file_float_valgrind)(VKI_PAGE_SIZE, VKI_PROT_READ, (Int)sr_Res(file), 0);
  }
  VG_(close)((Int)sr_Res(file));
}

static void CheckLayout(void) {
  if (option_layout.stack_bytes % 16 != 0 || option_layout.heap_bytes % 16 != 0) {
    VG_(fmsg_bad_option)("--stack-offset, --heap-offset", "a multiple of 16 expected\n");
  }
  if (option_layout.mapping_bytes % VKI_PAGE_SIZE != 0) {
    VG_(fmsg_bad_option)("--mapping-offset", "whole pages expected\n");
  }
}

/* A sparse flow counts executions itself, so that it has neither samples nor a region. */
static void SetSparse(void) {
  ULong windows[2] = {1, 64};
  if (option_flow_windows != NULL) {
    flow_filter_numbers("--flow-windows", option_flow_windows, 2, windows);
  }
  if (windows[1] == 0 ||
      (option_flow_groups != 0 && (option_flow_sample != 0 || region_is_set()))) {
    VG_(fmsg_bad_option)
    ("--flow-groups, --flow-windows", "a period, no --flow-sample and no --region expected\n");
    VG_(exit)(1);
  }
  flow_sparse_set((ULong)option_flow_groups);
  flow_set_windows(windows[0], windows[1]);
}

static void SetFilter(void) {
  ULong burst[2] = {0, 1};
  if (option_flow_burst != NULL) flow_filter_numbers("--flow-burst", option_flow_burst, 2, burst);
  if (burst[1] == 0) {
    VG_(fmsg_bad_option)("--flow-burst", "a period of at least 1 chunk expected\n");
    VG_(exit)(1);
  }
  flow_filter_set(option_flow_filter, option_flow_pages, option_flow_dirty, burst[0] != 0);
  flow_set_bursts(burst[0], burst[1]);
}

static void AfterOptions(void) {
  if (option_directory == NULL) {
    VG_(fmsg_bad_option)("--directory", "required; tare passes this option\n");
  }
  /* With guest_chase VEX follows jumps and folds `a && b` tests; instructions that did not run
   * would be counted. */
  VG_(clo_vex_control).guest_chase = False;
  const struct region region = ParseRegion(option_region);
  region_set(&region);
  recording_open(option_directory);
  SetFilter();
  SetSparse();
  if (option_flow) flow_open((ULong)option_flow_sample, (ULong)option_flow_first);
  flow_code_set_samples(option_flow_sample != 0);
  if (option_further_mappings > 0) MapFurther(option_further_mappings);
  CheckLayout();
  if (system_input_requested(&option_logs) && recording_is_first())
    system_input_begin(&option_logs);
  recording_header()->has_region = option_region != NULL;
}

static Bool StartsWith(const HChar* text, const HChar* start) {
  return VG_(strncmp)(text, start, VG_(strlen)(start)) == 0;
}

/* Removes what Valgrind added to LD_PRELOAD; returns True when nothing is left of it. */
static Bool CleanPreload(HChar* variable) {
  HChar* value = variable + VG_(strlen)("LD_PRELOAD=");
  while (VG_(strstr)(value, "vgpreload_") != NULL) {
    HChar* next = VG_(strchr)(value, ':');
    if (next == NULL) return True;
    for (HChar* to = value; (*to++ = *++next) != 0;) {
    }
  }
  return *value == 0;
}

static Bool IsOurs(HChar* variable) {
  if (StartsWith(variable, "LD_PRELOAD=")) return CleanPreload(variable);
  return StartsWith(variable, "VALGRIND_LIB=") || StartsWith(variable, "VALGRIND_LAUNCHER=") ||
         StartsWith(variable, "GLIBCPP_FORCE_NEW=") || StartsWith(variable, "GLIBCXX_FORCE_NEW=");
}

/* Gives the program the environment that it would have without the engine. */
static void CleanEnvironment(struct tare_start_stack* stack) {
  uint64_t* to = stack->environment;
  for (uint64_t* from = stack->environment; *from != 0; ++from) {
    if (IsOurs((HChar*)*from)) continue;
    tare_show_variable((HChar*)*from, TARE_VALGRIND_PREFIX);
    *to++ = *from;
  }
  const uint64_t* from = stack->auxiliary;
  *to++ = 0;
  stack->auxiliary = to;
  uint64_t type = 0; /* source and destination may overlap, so the type is read before the copy */
  do {
    type = from[0];
    to[0] = type;
    to[1] = from[1];
    to += 2;
    from += 2;
  } while (type != TARE_AT_NULL);
}

static void StartThread(ThreadId thread) {
  static Bool started;
  region_start_thread(thread);
  counting_start_thread(thread);
  flow_start_thread(thread);
  if (started) {
    __atomic_fetch_add(&recording_header()->threads, 1, __ATOMIC_RELAXED);
    return;
  }
  started = True;
  job_control_begin();
  const Addr pointer = VG_(get_SP)(thread);
  struct tare_start_stack stack = tare_find_start_stack((uint64_t*)pointer);
  CleanEnvironment(&stack);
  if (option_pin) {
    const ULong mask = VG_(strtoull16)(option_hwcap, NULL);
    memory_layout_fix_stack(thread, &stack, pointer, mask, option_layout.stack_bytes);
  } else if (option_layout.stack_bytes > 0) {
    memory_layout_move_stack(thread, &stack, pointer, option_layout.stack_bytes);
  }
  if (option_layout.heap_bytes > 0) memory_layout_move_heap(option_layout.heap_bytes);
  if (option_layout.mapping_bytes > 0) memory_layout_move_mappings(option_layout.mapping_bytes);
}

static void BeforeFork(ThreadId thread) { recording_before_fork(); }
static void AfterFork(ThreadId thread) {
  recording_fork();
  flow_fork();
  system_input_stop();
}

static void BeforeCall(ThreadId thread, UInt number, UWord* arguments, UInt count) {
  if (number == __NR_execve) {
    flow_hand_over();
    recording_set_state(TARE_WIRE_REPLACED);
  }
  system_input_before_call(number);
}

static Bool IsFault(UWord signal) {
  return signal == VKI_SIGSEGV || signal == VKI_SIGBUS || signal == VKI_SIGFPE ||
         signal == VKI_SIGILL || signal == VKI_SIGTRAP;
}

/* Sets how up to date the guest registers are in the guest state at each memory access. Only a
 * fault handler can observe them. Until the program installs one, the stack pointer is enough: the
 * core needs it to grow stacks. */
static void UpdateRegisters(VexRegisterUpdates updates) {
  VG_(clo_vex_control).iropt_register_updates_default = updates;
  VG_(clo_px_file_backed) = updates;
}

/* Once the program handles a fault signal, all code is translated again with precise registers. */
static void WatchHandler(UWord signal, const UWord* action) {
  static Bool precise;
  const Bool handles =
      action != NULL && *action != (UWord)VKI_SIG_DFL && *action != (UWord)VKI_SIG_IGN;
  if (precise || !handles || !IsFault(signal)) return;
  precise = True;
  UpdateRegisters(VexRegUpdAllregsAtMemAccess);
  VG_(discard_translations)(0, ~0ULL, "tare");
}

/* Calls whose third argument is a number of bytes, and whose result is how many were moved. */
static Bool IsTransfer(UInt number) {
  return number == __NR_read || number == __NR_write || number == __NR_pread64 ||
         number == __NR_pwrite64 || number == __NR_recvfrom || number == __NR_sendto;
}

static void AfterCall(ThreadId thread, UInt number, UWord* arguments, UInt count, SysRes result) {
  if (number == __NR_execve) recording_set_state(TARE_WIRE_RUNNING);
  if (number == __NR_rt_sigaction && !sr_isError(result)) {
    /* The handler is the first field of the kernel's struct sigaction. */
    WatchHandler(arguments[0], (const UWord*)arguments[1]);
    job_control_after_sigaction(arguments[0], (const UWord*)arguments[1]);
  }
  if (IsTransfer(number) && !sr_isError(result))
    tare_wire_add_transfer(recording_header(), arguments[2], (Long)sr_Res(result));
  system_input_after_call(thread, number, arguments, result);
}

static void Finish(Int status) {
  flow_end();
  recording_set_state(TARE_WIRE_SEALED);
}

static IRSB* Instrument(VgCallbackClosure* closure, IRSB* in, const VexGuestLayout* layout,
                        const VexGuestExtents* extents, const VexArchInfo* host, IRType guest_word,
                        IRType host_word) {
  return option_flow
             ? flow_code_instrument(closure, in, layout, extents, host, guest_word, host_word)
             : counting_instrument(closure, in, layout, extents, host, guest_word, host_word);
}

static void BeforeOptions(void) {
  VG_(details_name)("tare");
  VG_(details_version)("1");
  VG_(details_description)("counts how often each block of code runs");
  VG_(details_copyright_author)("the tare authors, GPL-2.0-or-later");
  VG_(details_bug_reports_to)("the tare project");
  VG_(details_avg_translation_sizeB)(320);
  UpdateRegisters(VexRegUpdSpAtMemAccess);
  VG_(basic_tool_funcs)(AfterOptions, Instrument, Finish);
  VG_(needs_command_line_options)(ProcessOption, PrintUsage, PrintDebugUsage);
  VG_(needs_syscall_wrapper)(BeforeCall, AfterCall);
  VG_(track_pre_thread_first_insn)(StartThread);
  VG_(track_start_client_code)(flow_resume_thread);
  VG_(track_stop_client_code)(flow_suspend_thread);
  VG_(track_pre_deliver_signal)(flow_before_signal);
  VG_(atfork)(BeforeFork, NULL, AfterFork);
}

VG_DETERMINE_INTERFACE_VERSION(BeforeOptions)
