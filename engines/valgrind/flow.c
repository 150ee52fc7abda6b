/* flow.c: fills the chunks of a mapped file and waits for the reader while all chunks are full. */
#include "flow.h"

#include <stddef.h>

#include "emit.h"
#include "flow_filter.h"
#include "flow_sparse.h"
#include "format/flow_wire.h"
#include "recording.h"

enum {
  /* Half a megabyte, so that the chunks stay in a cache that both cores share. */
  kChunks = 8,
  /* A window of a sparse flow fits, so that the program goes on while the reader catches up. */
  kSparseChunks = TARE_FLOW_MAX_CHUNKS,
  kStep = 2 * TARE_FLOW_CHUNK,
  /* Maximum overrun of a superblock past the end of its chunk. */
  kOverhang = 8 * kMaxSuperblockWords,
  kFullUntilWake = 4,
  kMaxFirstParts = 16,
  kMinHalvedPeriod = 32,
  kWaitNs = 100000000,
  kWaitsForFirstReader = 100,
  kMayRun = VKI_PROT_READ | VKI_PROT_WRITE,
  /* Not in Valgrind's headers: */
  kSetLock = 37, /* F_OFD_SETLK */
  kGetLock = 36, /* F_OFD_GETLK */
  kWriteLock = 1,
  kUnlocked = 2,
  kFutexWait = 0,
  kFutexWake = 1,
  kNotSupported = 95 /* EOPNOTSUPP */
};

struct lock {
  Short type;
  Short whence;
  Long start;
  Long length;
  Int process;
};

static struct tare_flow_header* header; /* NULL: no flow was requested */
static Int file = -1;
static UInt ring_chunks;
static UChar* first; /* first chunk */
static UChar* chunk; /* the chunk that is being filled */
static Bool unread;  /* words are discarded */
static ULong sample;
static ULong first_sample; /* instruction count at the first sample */
static ULong due;          /* instruction count at the next sample */
static ULong burst_chunks; /* the first of every burst_period chunks are a burst; 0: none */
static ULong burst_period;
static Bool bursting;      /* or in a window */
static ULong window_parts; /* length of a window */
static ULong window_period;
static ULong window_end;   /* the part after it */
static ULong next_window;  /* the part in which it begins */
static ULong first_blocks; /* superblocks before the first of this flow */
static Bool counts_from_here;
static ULong record_words[kMaxSuperblockWords];
static ULong threads;           /* threads started so far */
static ULong current_thread;    /* number of the thread that ran last; 0: none yet */
static Bool running;            /* a thread runs the program, and its shadow state has the words */
static struct flow_words words; /* valid while running is false */

/* The ring, one chunk that is never read, and room to align the start to kStep. */
static ULong FileBytes(void) { return (ULong)kStep * (ring_chunks + 2); }

static SysRes Call(UWord number, UWord a1, UWord a2, UWord a3, UWord a4) {
  return VG_(do_syscall)(number, a1, a2, a3, a4, 0, 0, 0, 0);
}

static SysRes MapNowhere(UChar* at, ULong bytes) {
  return VG_(do_syscall)(__NR_mmap, (UWord)at, bytes, kMayRun,
                         VKI_MAP_PRIVATE | VKI_MAP_FIXED | VKI_MAP_ANONYMOUS, (UWord)-1, 0, 0, 0);
}

static Bool LockEngine(void) {
  struct lock lock = {.type = kWriteLock, .start = TARE_FLOW_LOCK_ENGINE, .length = 1};
  return !sr_isError(Call(__NR_fcntl, (UWord)file, kSetLock, (UWord)&lock, 0));
}

static Bool ReaderLives(void) {
  struct lock lock = {.type = kWriteLock, .start = TARE_FLOW_LOCK_READER, .length = 1};
  const SysRes queried = Call(__NR_fcntl, (UWord)file, kGetLock, (UWord)&lock, 0);
  return sr_isError(queried) || lock.type != kUnlocked;
}

/* Reserves disk space for a part of the file. A store to a mapped page without disk space would
 * raise SIGBUS. */
static Bool Reserve(ULong place, ULong bytes) {
  const SysRes room = Call(__NR_fallocate, (UWord)file, 0, place, bytes);
  return !sr_isError(room) || sr_Err(room) == kNotSupported;
}

static Bool MakeFile(void) {
  const struct tare_wire_header* recording = recording_header();
  HChar name[64];
  VG_(sprintf)(name, TARE_FLOW_FILE ".%llu.%llu", (ULong)recording->process,
               (ULong)recording->generation);
  file = recording_make_beside(name, FileBytes());
  return file >= 0 && Reserve(0, VKI_PAGE_SIZE) && LockEngine();
}

/* From here on, words are discarded: they go to anonymous memory. */
static void ThrowAway(void) {
  __atomic_store_n(&header->cut_short, 1, __ATOMIC_RELEASE);
  unread = True;
  MapNowhere(first + kStep * ring_chunks, kStep);
}

/* Precondition: the reader has released the next chunk, if it was ever used. */
static void BeginChunk(void) {
  const UInt number = header->written;
  const ULong place = (ULong)(first - (UChar*)header) + kStep * (ULong)(number % ring_chunks);
  if (!unread && number < ring_chunks && !Reserve(place, TARE_FLOW_CHUNK + kOverhang)) ThrowAway();
  chunk = first + kStep * (ULong)(unread ? ring_chunks : number % ring_chunks);
  words.cursor = (ULong)chunk;
}

/* Initialises the header and publishes it to the reader by storing the magic number last. */
static void Begin(void) {
  const struct tare_wire_header* recording = recording_header();
  header->version = TARE_FLOW_VERSION;
  header->architecture = recording->architecture;
  header->process = recording->process;
  header->generation = recording->generation;
  header->first_at = (ULong)(first - (UChar*)header);
  header->chunks = ring_chunks;
  header->filter = *flow_filter();
  flow_filter_clear();
  flow_filter_force(False);
  flow_sparse_open_window(False);
  bursting = False;
  counts_from_here = True;
  BeginChunk();
  current_thread = 0;
  due = first_sample;
  words.left = (Long)first_sample - 1;
  __atomic_store_n(&header->magic, TARE_FLOW_MAGIC, __ATOMIC_RELEASE);
}

void flow_set_bursts(ULong chunks, ULong period) {
  burst_chunks = chunks;
  burst_period = period;
}

void flow_set_windows(ULong parts, ULong period) {
  window_parts = parts;
  window_period = period;
}

void flow_open(ULong instructions_between_samples, ULong instructions_before_first) {
  sample = instructions_between_samples;
  ring_chunks = flow_is_sparse() ? kSparseChunks : kChunks;
  first_sample = instructions_before_first != 0 ? instructions_before_first : sample;
  if (!MakeFile()) {
    VG_(umsg)("tare: cannot create the flow file\n");
    VG_(exit)(125);
  }
  const SysRes mapped = VG_(am_shared_mmap_file_float_valgrind)(FileBytes(), kMayRun, file, 0);
  if (sr_isError(mapped)) {
    VG_(umsg)("tare: cannot map the flow file (error %lu)\n", sr_Err(mapped));
    VG_(exit)(125);
  }
  header = (struct tare_flow_header*)sr_Res(mapped);
  const ULong behind_header = sr_Res(mapped) + VKI_PAGE_SIZE;
  first = (UChar*)((behind_header + kStep - 1) / kStep * kStep);
  Begin();
}

/* Waits until `taken` reaches `wanted`. Returns False when there is no reader, so that it never
 * will. */
static Bool WaitUntilTaken(UInt wanted) {
  for (Int waits = 0;; ++waits) {
    __atomic_store_n(&header->engine_wakes, wanted, __ATOMIC_RELAXED);
    __atomic_store_n(&header->engine_waits, 1, __ATOMIC_SEQ_CST);
    const UInt taken = __atomic_load_n(&header->taken, __ATOMIC_SEQ_CST);
    if ((Int)(taken - wanted) >= 0) break;
    struct vki_timespec most = {0, kWaitNs};
    Call(__NR_futex, (UWord)&header->taken, kFutexWait, taken, (UWord)&most);
    if (__atomic_load_n(&header->taken, __ATOMIC_ACQUIRE) != taken) continue;
    const UInt reader = __atomic_load_n(&header->reader, __ATOMIC_ACQUIRE);
    if (reader == 0 ? waits >= kWaitsForFirstReader : !ReaderLives()) return False;
  }
  __atomic_store_n(&header->engine_waits, 0, __ATOMIC_RELAXED);
  return True;
}

static void WakeReader(void) {
  if (__atomic_load_n(&header->reader_waits, __ATOMIC_SEQ_CST) == 0) return;
  Call(__NR_futex, (UWord)&header->written, kFutexWake, 1, 0);
}

static void Publish(void) {
  const UInt written = header->written;
  header->chunk_words[written % ring_chunks] = (UInt)((words.cursor - (ULong)chunk) / 8);
  __atomic_store_n(&header->written, written + 1, __ATOMIC_SEQ_CST);
}

/* Wakes a sleeping reader only when some chunks are full, and the reader wakes the engine only when
 * half of them are free, because each wake-up is an expensive system call. */
static void NextChunk(void) {
  const UInt full = header->written - __atomic_load_n(&header->taken, __ATOMIC_ACQUIRE);
  if (full >= kFullUntilWake) WakeReader();
  if (full >= ring_chunks && !WaitUntilTaken(header->written - ring_chunks / 2)) ThrowAway();
}

static void EndChunk(void) {
  if (!unread && words.cursor != (ULong)chunk) {
    Publish();
    NextChunk();
  }
  BeginChunk();
}

static Bool IsFull(void) { return (words.cursor & TARE_FLOW_CHUNK) != 0; }

static void Mark(UInt kind, ULong value) {
  if (IsFull()) EndChunk();
  ULong* to = (ULong*)words.cursor;
  to[0] = TARE_FLOW_MARK | kind;
  to[1] = value;
  words.cursor += 2 * sizeof *to;
}

const ULong* flow_record_words(void) { return record_words; }

ULong* flow_place(void) { return (ULong*)words.cursor; }

void flow_advance(UInt count) {
  words.cursor += 8ULL * count;
  if (IsFull()) EndChunk();
}

/* Opens or closes a window. The first is longer, so that short runs are seen whole. The core runs a
 * thread for at most kPartSuperblocks at a time, so no part is skipped. */
static void AttendWindow(ULong blocks) {
  if (counts_from_here) {
    first_blocks = blocks;
    window_end = next_window = 0;
  }
  counts_from_here = False;
  const ULong part = (blocks - first_blocks) / kPartSuperblocks;
  if (part >= next_window) {
    const ULong half = window_period / 2;
    const ULong first_parts = half < kMaxFirstParts ? half : kMaxFirstParts;
    const Bool is_longer = part == 0 && window_parts != 0 && first_parts > window_parts;
    const ULong length = is_longer ? first_parts : window_parts;
    window_end = part + length;
    /* Programs of a second have few windows otherwise. */
    const Bool is_early = window_period >= kMinHalvedPeriod && part < 4 * window_period;
    const ULong period = is_early ? half : window_period;
    next_window = part + (length < period ? period : length);
  }
  const Bool wanted = part < window_end;
  if (wanted == bursting) return;
  bursting = wanted;
  flow_sparse_open_window(wanted);
  Mark(TARE_FLOW_BURST, wanted);
}

/* Starts or ends a burst if the current chunk is the first inside or outside. */
static void AttendBurst(void) {
  if (burst_chunks == 0) return;
  const Bool wanted = header->written % burst_period < burst_chunks;
  if (wanted == bursting) return;
  bursting = wanted;
  flow_filter_force(wanted);
  Mark(TARE_FLOW_BURST, wanted);
}

/* The program waits until the reader has processed the sample. */
static void Sample(void) {
  const ULong instructions = due - 1 - (ULong)words.left;
  while (due <= instructions) due += sample;
  words.left = (Long)(due - 1 - instructions);
  Mark(TARE_FLOW_SAMPLE, instructions);
  if (!unread) {
    Publish();
    WakeReader();
    if (!WaitUntilTaken(header->written)) ThrowAway();
  }
  BeginChunk();
}

static void TakeWords(ThreadId thread) {
  if (flow_is_sparse()) return;
  VG_(get_shadow_regs_area)(thread, (UChar*)&words, 1, kShadowFlow, sizeof words);
}

static void GiveWords(ThreadId thread) {
  struct flow_words its = words;
  if (flow_is_sparse()) {
    its.full = bursting;
    its.cursor = (ULong)flow_record_words();
  }
  VG_(set_shadow_regs_area)(thread, 1, kShadowFlow, sizeof its, (const UChar*)&its);
}

void flow_attend(void) {
  const ThreadId thread = VG_(get_running_tid)();
  TakeWords(thread);
  if (sample != 0 && words.left < 0) Sample();
  if (IsFull()) EndChunk();
  AttendBurst();
  GiveWords(thread);
}

void flow_start_thread(ThreadId thread) {
  ++threads;
  VG_(set_shadow_regs_area)(thread, 1, kShadowFlow + offsetof(struct flow_words, thread),
                            sizeof threads, (const UChar*)&threads);
}

/* Marks the following records as those of this thread. */
static void SwitchTo(ThreadId thread) {
  struct flow_words its;
  VG_(get_shadow_regs_area)(thread, (UChar*)&its, 1, kShadowFlow, sizeof its);
  words.thread = its.thread;
  if (its.thread == current_thread) return;
  current_thread = its.thread;
  Mark(TARE_FLOW_THREAD, current_thread);
}

void flow_resume_thread(ThreadId thread, ULong blocks) {
  if (header == NULL) return;
  SwitchTo(thread);
  if (flow_is_sparse()) {
    AttendWindow(blocks);
  } else {
    AttendBurst();
  }
  GiveWords(thread);
  running = True;
}

void flow_suspend_thread(ThreadId thread, ULong blocks) {
  if (header == NULL) return;
  TakeWords(thread);
  running = False;
}

/* The core delivers a fault's signal while the thread is running, before flow_suspend_thread(). */
void flow_before_signal(ThreadId thread, Int signal, Bool alternate_stack) {
  if (header == NULL) return;
  if (running) TakeWords(thread);
  SwitchTo(thread);
  Mark(TARE_FLOW_SIGNAL, VG_(get_IP)(thread));
  if (running) GiveWords(thread);
}

void flow_hand_over(void) {
  if (header != NULL) EndChunk();
}

/* The child needs its own chunks and its own lock. The mapping shares the open file description and
 * thus the parent's lock (F_OFD_SETLK, fcntl(2)). */
void flow_fork(void) {
  if (header == NULL) return;
  VG_(close)(file);
  const Bool created = !unread && MakeFile();
  const SysRes mapped = created
                            ? VG_(do_syscall)(__NR_mmap, (UWord)header, FileBytes(), kMayRun,
                                              VKI_MAP_SHARED | VKI_MAP_FIXED, (UWord)file, 0, 0, 0)
                            : MapNowhere((UChar*)header, FileBytes());
  if (sr_isError(mapped)) VG_(exit)(125);
  unread = !created;
  if (unread) ++recording_header()->lost_children;
  Begin();
}

void flow_end(void) {
  if (header == NULL) return;
  if (!unread && words.cursor != (ULong)chunk) Publish();
  __atomic_store_n(&header->ended, 1, __ATOMIC_SEQ_CST);
  WakeReader();
}
