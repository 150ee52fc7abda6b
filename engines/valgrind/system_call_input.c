/* system_call_input.c: the system calls that return system inputs, and where their results are
 * stored. */
#include "system_call_input.h"

/* Not in Valgrind's headers, or only for one architecture. */
enum {
  kProcMagic = 0x9fa0,
  kSysMagic = 0x62656572,
  kAnonymousMagic = 0x09041934, /* file system of descriptors without a file, such as timerfd */
  kStatfsBytes = 120,
  kSysinfoBytes = 112,
  kRusageBytes = 144,
  kTimesBytes = 32,
  kPairBytes = 16, /* struct timespec, struct timeval */
  kPathBytes = 4096
};

static HChar own_id[24]; /* this process's ID in /proc */

static Int ReadLink(const HChar* path, HChar* to, UInt room) {
  const SysRes got = VG_(do_syscall)(__NR_readlinkat, (UWord)VKI_AT_FDCWD, (UWord)path, (UWord)to,
                                     room - 1, 0, 0, 0, 0);
  const Int length = sr_isError(got) ? -1 : (Int)sr_Res(got);
  to[length < 0 ? 0 : length] = 0;
  return length;
}

void system_call_input_begin(void) { ReadLink("/proc/self", own_id, sizeof own_id); }

static ULong HashOf(const HChar* text) {
  ULong hash = 0xcbf29ce484222325ULL;
  for (; *text != 0; ++text) hash = (hash ^ (UChar)*text) * 0x100000001b3ULL;
  return hash;
}

static SizeT Digits(const HChar* text) {
  SizeT digits = 0;
  while (text[digits] >= '0' && text[digits] <= '9') ++digits;
  return digits;
}

static Bool StartsWith(const HChar* text, const HChar* start) {
  return VG_(strncmp)(text, start, VG_(strlen)(start)) == 0;
}

/* Replaces the IDs of this process and its threads, so that the path is the same in every run. */
static const HChar* StableName(const HChar* path) {
  static HChar name[TARE_SYSTEM_LOG_NAME_BYTES];
  static const HChar kProc[] = "/proc/";
  static const HChar kTask[] = "task/";
  UInt used = 0;
  Bool ours = False;
  while (*path != 0 && used < sizeof name - 8) {
    const SizeT proc = sizeof kProc - 1;
    const SizeT own = VG_(strlen)(own_id);
    if (used == 0 && own > 0 && StartsWith(path, kProc) && StartsWith(path + proc, own_id) &&
        (path[proc + own] == '/' || path[proc + own] == 0)) {
      VG_(strcpy)(name, "/proc/self");
      used = 10;
      path += proc + own;
      ours = True;
    } else if (ours && StartsWith(path, kTask) && Digits(path + 5) > 0) {
      VG_(strcpy)(name + used, "task/N");
      used += 6;
      path += 5 + Digits(path + 5);
    } else {
      name[used++] = *path++;
    }
  }
  name[used] = 0;
  return name;
}

static void NameFile(struct system_call_input* input, const HChar* path) {
  input->source.name = StableName(path);
  input->source.key = HashOf(input->source.name);
}

static Bool NameDescriptor(struct system_call_input* input, UWord fd) {
  static HChar path[kPathBytes];
  HChar link[48];
  /* /proc/self/fd is unusable once the main thread has exited; see proc(5). */
  VG_(sprintf)(link, "/proc/thread-self/fd/%d", (Int)fd);
  if (ReadLink(link, path, sizeof path) <= 0) return False;
  NameFile(input, path);
  return True;
}

static void AddPiece(struct system_call_input* input, UWord at, UWord bytes) {
  struct system_log_pieces* pieces = &input->pieces;
  if (at == 0 || bytes == 0 || pieces->used == kSystemLogMaxPieces) return;
  pieces->piece[pieces->used].at = at;
  pieces->piece[pieces->used++].bytes = bytes;
}

SizeT system_call_input_capacity(const struct system_call_input* input) {
  SizeT room = 0;
  for (UInt i = 0; i < input->pieces.used; ++i) room += input->pieces.piece[i].bytes;
  return room;
}

static Bool Classify(struct system_call_input* input, UInt kind, enum system_call_input_form form,
                     const HChar* name) {
  input->source.kind = kind;
  input->source.name = name;
  input->form = form;
  return True;
}

static Bool IsRandomDevice(ULong device) {
  return device == 0x108 || device == 0x109 || device == 0xab7; /* random, urandom, hwrng */
}

/* For a read: whether the kernel generates the file's contents. */
static Bool ClassifyDescriptor(struct system_call_input* input, UWord fd) {
  struct vg_stat status;
  if (VG_(fstat)((Int)fd, &status) != 0) return False;
  if (VKI_S_ISSOCK(status.mode)) return Classify(input, TARE_SYSTEM_LOG_NETWORK, kCounted, "");
  if (VKI_S_ISCHR(status.mode)) {
    return IsRandomDevice(status.rdev) && Classify(input, TARE_SYSTEM_LOG_RANDOM, kStream, "") &&
           NameDescriptor(input, fd);
  }
  ULong filesystem[32] = {0};
  if (sr_isError(VG_(do_syscall)(__NR_fstatfs, fd, (UWord)filesystem, 0, 0, 0, 0, 0, 0))) {
    return False;
  }
  if (filesystem[0] == kProcMagic || filesystem[0] == kSysMagic) {
    return Classify(input, TARE_SYSTEM_LOG_SYSTEM, kStream, "") && NameDescriptor(input, fd);
  }
  return filesystem[0] == kAnonymousMagic && Classify(input, TARE_SYSTEM_LOG_TIME, kStream, "") &&
         NameDescriptor(input, fd) && VG_(strcmp)(input->source.name, "anon_inode:[timerfd]") == 0;
}

static Bool ClassifyRead(struct system_call_input* input, UInt as, const UWord* arguments) {
  input->source.call = as;
  AddPiece(input, arguments[1], arguments[2]);
  return ClassifyDescriptor(input, arguments[0]);
}

static Bool ClassifyVector(struct system_call_input* input, UInt as, const UWord* arguments) {
  input->source.call = as;
  if (!ClassifyDescriptor(input, arguments[0])) return False;
  const UWord count = arguments[2];
  const struct vki_iovec* vector = (const struct vki_iovec*)arguments[1];
  if (count > kSystemLogMaxPieces ||
      !VG_(am_is_valid_for_client)((Addr)vector, count * sizeof *vector, VKI_PROT_READ)) {
    input->form = kCounted;
    return True;
  }
  for (UWord i = 0; i < count; ++i) {
    AddPiece(input, (UWord)vector[i].iov_base, vector[i].iov_len);
  }
  return True;
}

static Bool ClassifyPath(struct system_call_input* input, UWord path, SysRes result) {
  if (sr_isError(result) && sr_Err(result) == VKI_EFAULT) return False;
  input->source.call = __NR_openat;
  NameFile(input, (const HChar*)path);
  return Classify(input, TARE_SYSTEM_LOG_PATH, kStructure, input->source.name);
}

static Bool ClassifyFilesystem(struct system_call_input* input, const HChar* path, UWord to) {
  input->source.call = __NR_statfs;
  Classify(input, TARE_SYSTEM_LOG_SYSTEM, kStructure, "");
  if (path != NULL) NameFile(input, path);
  AddPiece(input, to, kStatfsBytes);
  return True;
}

static Bool ClassifyTime(UInt number, const UWord* arguments, struct system_call_input* input) {
  switch (number) {
    case __NR_clock_gettime:
      input->source.key = (UInt)arguments[0];
      AddPiece(input, arguments[1], kPairBytes);
      return Classify(input, TARE_SYSTEM_LOG_TIME, kStructure, "clock_gettime");
    case __NR_gettimeofday:
      AddPiece(input, arguments[0], kPairBytes);
      return Classify(input, TARE_SYSTEM_LOG_TIME, kStructure, "gettimeofday");
    case __NR_times:
      AddPiece(input, arguments[0], kTimesBytes);
      return Classify(input, TARE_SYSTEM_LOG_TIME, kStructure, "times");
#if defined(__NR_time)
    case __NR_time:
      AddPiece(input, arguments[0], 8);
      return Classify(input, TARE_SYSTEM_LOG_TIME, kStructure, "time");
#endif
    default:
      return False;
  }
}

static Bool ClassifySystem(UInt number, const UWord* arguments, SysRes result,
                           struct system_call_input* input) {
  switch (number) {
    case __NR_sysinfo:
      AddPiece(input, arguments[0], kSysinfoBytes);
      return Classify(input, TARE_SYSTEM_LOG_SYSTEM, kStructure, "sysinfo");
    case __NR_getrusage:
      input->source.key = (UInt)arguments[0];
      AddPiece(input, arguments[1], kRusageBytes);
      return Classify(input, TARE_SYSTEM_LOG_SYSTEM, kStructure, "getrusage");
    case __NR_getcpu:
      AddPiece(input, arguments[0], 4);
      AddPiece(input, arguments[1], 4);
      return Classify(input, TARE_SYSTEM_LOG_SYSTEM, kStructure, "getcpu");
    case __NR_statfs:
      if (sr_isError(result) && sr_Err(result) == VKI_EFAULT) return False;
      return ClassifyFilesystem(input, (const HChar*)arguments[0], arguments[1]);
    case __NR_fstatfs:
      NameDescriptor(input, arguments[0]);
      return ClassifyFilesystem(input, input->source.name, arguments[1]);
    default:
      return False;
  }
}

static Bool ClassifyReads(UInt number, const UWord* arguments, struct system_call_input* input) {
  switch (number) {
    case __NR_read:
      return ClassifyRead(input, __NR_read, arguments);
    case __NR_pread64:
      return ClassifyRead(input, __NR_pread64, arguments);
    case __NR_getdents64:
      return ClassifyRead(input, __NR_getdents64, arguments);
    case __NR_readv:
      return ClassifyVector(input, __NR_read, arguments);
    case __NR_preadv:
#if defined(__NR_preadv2)
    case __NR_preadv2:
#endif
      return ClassifyVector(input, __NR_pread64, arguments);
    case __NR_getrandom:
      AddPiece(input, arguments[0], arguments[1]);
      return Classify(input, TARE_SYSTEM_LOG_RANDOM, kStream, "getrandom");
    default:
      return False;
  }
}

static Bool ClassifyProcess(UInt number, const UWord* arguments, struct system_call_input* input) {
  enum { kCloneThread = 0x10000 };
  switch (number) {
    case __NR_getpid:
      return Classify(input, TARE_SYSTEM_LOG_PROCESS, kStructure, "getpid");
    case __NR_getppid:
      return Classify(input, TARE_SYSTEM_LOG_PROCESS, kStructure, "getppid");
    case __NR_gettid:
      return Classify(input, TARE_SYSTEM_LOG_PROCESS, kStructure, "gettid");
    case __NR_set_tid_address:
      return Classify(input, TARE_SYSTEM_LOG_PROCESS, kStructure, "set_tid_address");
    case __NR_getsid:
      return Classify(input, TARE_SYSTEM_LOG_PROCESS, kStructure, "getsid");
    case __NR_getpgid:
#if defined(__NR_getpgrp)
    case __NR_getpgrp:
#endif
      return Classify(input, TARE_SYSTEM_LOG_PROCESS, kStructure, "getpgid");
    case __NR_clone:
      return (arguments[0] & kCloneThread) != 0 &&
             Classify(input, TARE_SYSTEM_LOG_THREAD, kStructure, "clone");
    default:
      return False;
  }
}

static Bool ClassifyFiles(UInt number, const UWord* arguments, SysRes result,
                          struct system_call_input* input) {
  switch (number) {
#if defined(__NR_open)
    case __NR_open:
    case __NR_creat:
      return ClassifyPath(input, arguments[0], result);
    case __NR_stat:
    case __NR_lstat:
#endif
    case __NR_fstat:
    case __NR_newfstatat:
    case __NR_statx:
      return Classify(input, TARE_SYSTEM_LOG_FILE_STATE, kCounted, "");
    case __NR_openat:
      return ClassifyPath(input, arguments[1], result);
    case __NR_recvfrom:
    case __NR_recvmsg:
    case __NR_recvmmsg:
      return Classify(input, TARE_SYSTEM_LOG_NETWORK, kCounted, "");
    default:
      return False;
  }
}

Bool system_call_input_of(UInt number, const UWord* arguments, SysRes result,
                          struct system_call_input* input) {
  input->source.kind = 0;
  input->source.call = number;
  input->source.key = 0;
  input->source.name = NULL;
  input->pieces.used = 0;
  return ClassifyTime(number, arguments, input) || ClassifyReads(number, arguments, input) ||
         ClassifySystem(number, arguments, result, input) ||
         ClassifyProcess(number, arguments, input) ||
         ClassifyFiles(number, arguments, result, input);
}
