/* recording.c: creates, maps and fills the recording through Valgrind's own system calls. */
#include "recording.h"

static struct tare_wire_writer writer;
static Int directory_fd = -1;

enum {
  kPathBytes = 32,
  kOpenFlags = VKI_O_RDWR | VKI_O_CREAT | VKI_O_EXCL,
  kLimitFileSize = 1 /* RLIMIT_FSIZE, not in Valgrind's headers */
};

static SysRes Call(UWord number, UWord a1, UWord a2, UWord a3, UWord a4) {
  return VG_(do_syscall)(number, a1, a2, a3, a4, 0, 0, 0, 0);
}

/* An existing file belongs to a program that execve(2) replaced in this process. */
static Int OpenNew(uint64_t* generation) {
  HChar name[kPathBytes];
  for (*generation = 0; *generation < 100000; ++*generation) {
    VG_(sprintf)(name, "%d.%llu", VG_(getpid)(), (ULong)*generation);
    const SysRes opened = Call(__NR_openat, (UWord)directory_fd, (UWord)name, kOpenFlags, 0600);
    if (!sr_isError(opened)) return VG_(safe_fd)((Int)sr_Res(opened));
    if (sr_Err(opened) != VKI_EEXIST) return -1;
  }
  return -1;
}

/* Above RLIMIT_FSIZE, ftruncate(2) would raise SIGXFSZ in the measured program. */
static Bool SizeAllowed(ULong bytes) {
  struct vki_rlimit limit;
  return VG_(getrlimit)(kLimitFileSize, &limit) != 0 || limit.rlim_cur >= bytes;
}

void recording_open(const HChar* directory) {
  struct tare_wire_header start = tare_wire_plan(1);
  const ULong bytes = tare_wire_file_bytes(&start);
  const SysRes opened = VG_(open)(directory, VKI_O_RDONLY, 0);
  if (sr_isError(opened)) {
    VG_(umsg)("tare: cannot open the recording directory (error %lu)\n", sr_Err(opened));
    VG_(exit)(125);
  }
  directory_fd = VG_(safe_fd)((Int)sr_Res(opened));
  const Int file = OpenNew(&start.generation);
  if (file < 0 || !SizeAllowed(bytes) ||
      sr_isError(Call(__NR_ftruncate, (UWord)file, bytes, 0, 0))) {
    VG_(umsg)("tare: cannot create the recording\n");
    VG_(exit)(125);
  }
  const SysRes mapped =
      VG_(am_shared_mmap_file_float_valgrind)(bytes, VKI_PROT_READ | VKI_PROT_WRITE, file, 0);
  if (sr_isError(mapped)) {
    VG_(umsg)("tare: cannot map the recording (error %lu)\n", sr_Err(mapped));
    VG_(exit)(125);
  }
  VG_(close)(file);
  start.engine = TARE_WIRE_VALGRIND;
#if defined(VGA_amd64)
  start.architecture = TARE_WIRE_X86_64;
#else
  start.architecture = TARE_WIRE_AARCH64;
#endif
  start.process = (ULong)VG_(getpid)();
  start.threads = 1;
  start.banks_used = 1;
  start.sees_transfers = 1;
  tare_wire_begin(&writer, (UChar*)sr_Res(mapped), &start);
}

Bool recording_is_first(void) {
  const SysRes opened = Call(__NR_openat, (UWord)directory_fd, (UWord) "first", kOpenFlags, 0600);
  if (sr_isError(opened)) return False;
  VG_(close)((Int)sr_Res(opened));
  return True;
}

/* Replaces the shared mapping by a private one: the child continues, uncounted. */
static void CountNothing(ULong bytes) {
  VG_(do_syscall)(__NR_mmap, (UWord)writer.base, bytes, VKI_PROT_READ | VKI_PROT_WRITE,
                  VKI_MAP_PRIVATE | VKI_MAP_FIXED | VKI_MAP_ANONYMOUS | VKI_MAP_NORESERVE,
                  (UWord)-1, 0, 0, 0);
}

/* The header at the time of the fork: the parent continues, and the child still shares its
 * mapping. */
static struct tare_wire_header at_fork;

void recording_before_fork(void) { at_fork = *tare_wire_head(&writer); }

void recording_fork(void) {
  struct tare_wire_header* parent = tare_wire_head(&writer);
  struct tare_wire_header start = tare_wire_inherit(&at_fork, (ULong)VG_(getpid)());
  const ULong bytes = tare_wire_file_bytes(&start);
  start.banks_used = 1;
  const Int file = OpenNew(&start.generation);
  Bool mapped = file >= 0 && SizeAllowed(bytes) &&
                !sr_isError(Call(__NR_ftruncate, (UWord)file, bytes, 0, 0));
  if (mapped) {
    mapped = !sr_isError(VG_(do_syscall)(__NR_mmap, (UWord)writer.base, bytes,
                                         VKI_PROT_READ | VKI_PROT_WRITE,
                                         VKI_MAP_SHARED | VKI_MAP_FIXED, (UWord)file, 0, 0, 0));
  }
  if (!mapped) {
    __atomic_fetch_add(&parent->lost_children, 1, __ATOMIC_RELAXED);
    CountNothing(bytes);
  }
  if (file >= 0) VG_(close)(file);
  tare_wire_begin(&writer, writer.base, &start);
}

void recording_set_state(UInt state) { tare_wire_head(&writer)->state = state; }

struct tare_wire_header* recording_header(void) { return tare_wire_head(&writer); }

struct tare_wire_counters* recording_counters(void) { return tare_wire_bank(&writer, 0); }

ULong recording_add_block(const struct block_span* span) {
  const struct tare_wire_block block = {.address = span->start,
                                        .code_bytes = span->bytes,
                                        .instructions = span->instructions,
                                        .flags = span->flags};
  return tare_wire_add_block(&writer, &block, (const UChar*)span->start);
}

ULong recording_add_flow(ULong block, UInt operation, const struct flow_record* record) {
  struct tare_wire_access accesses[kMaxTouches];
  for (UInt i = 0; i < record->touches; ++i) accesses[i] = record->touch[i].access;
  const struct tare_wire_flow flow = {.block = block,
                                      .operation = operation,
                                      .words = (UShort)record->words,
                                      .accesses = (UShort)record->touches};
  return tare_wire_add_flow(&writer, &flow, accesses);
}

Int recording_make_beside(const HChar* name, ULong bytes) {
  if (!SizeAllowed(bytes)) return -1;
  const SysRes opened = Call(__NR_openat, (UWord)directory_fd, (UWord)name, kOpenFlags, 0600);
  if (sr_isError(opened)) return -1;
  const Int file = VG_(safe_fd)((Int)sr_Res(opened));
  if (!sr_isError(Call(__NR_ftruncate, (UWord)file, bytes, 0, 0))) return file;
  VG_(close)(file);
  return -1;
}

/* The mappings recorded so far; a mapping that changed is recorded again. */
enum { kKnown = 1024 };
static struct mapped_file known[kKnown];
static UInt known_used;
static UInt last_known;

static Bool Same(const struct mapped_file* a, const struct mapped_file* b) {
  return a->start == b->start && a->end == b->end && a->offset == b->offset &&
         a->device == b->device && a->inode == b->inode;
}

struct mapped_file recording_object_at(Addr address) {
  struct mapped_file now = {0};
  const NSegment* segment = VG_(am_find_nsegment)(address);
  if (segment == NULL) return now;
  now.start = segment->start;
  now.end = segment->end + 1;
  if (segment->kind == SkFileC || segment->kind == SkFileV) {
    now.offset = (ULong)segment->offset;
    now.device = segment->dev;
    now.inode = segment->ino;
  }
  if (last_known < known_used && Same(&known[last_known], &now)) return now;
  for (UInt i = 0; i < known_used; ++i) {
    if (Same(&known[i], &now)) {
      last_known = i;
      return now;
    }
  }
  const HChar* path = now.inode != 0 ? VG_(am_get_filename)(segment) : NULL;
  const struct tare_wire_object object = {.start = now.start,
                                          .end = now.end,
                                          .offset = now.offset,
                                          .device = now.device,
                                          .inode = now.inode};
  tare_wire_add_object(&writer, &object, path == NULL ? "" : path);
  if (known_used < kKnown) {
    last_known = known_used;
    known[known_used++] = now;
  }
  return now;
}
