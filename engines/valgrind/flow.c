/* flow.c: fills the chunks of a mapped file, and waits while all of them are full. */
#include "flow.h"

#include <stddef.h>

#include "emit.h"
#include "format/flow_wire.h"
#include "recording.h"

enum {
  /* Half a megabyte, so that the words stay in a cache near to both cores. */
  kChunks = 8,
  kStep = 2 * TARE_FLOW_CHUNK,
  /* A superblock runs so far behind its chunk at most. */
  kOverhang = 8 * kMaxSuperblockWords,
  /* The ring, a chunk that nobody reads, and room to begin at a multiple of kStep. */
  kFileBytes = kStep * (kChunks + 2),
  kWaitNs = 100000000,
  kWaitsForFirstReader = 100,
  kMayRun = VKI_PROT_READ | VKI_PROT_WRITE,
  /* What Valgrind's headers leave out: */
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

static struct tare_flow_header* header; /* NULL: no flow was asked for */
static Int file = -1;
static UChar* first; /* chunk */
static UChar* chunk; /* that is being filled */
static Bool unread;  /* words are thrown away */
static ULong sample;
static ULong first_sample;      /* instructions at the first one */
static ULong due;               /* instructions at the next sample */
static ULong threads;           /* so far */
static ULong turn;              /* number of the thread that ran last; 0: none yet */
static Bool in_turn;            /* a thread runs code of the program, and has the words */
static struct flow_words words; /* while no thread does */

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
  const SysRes asked = Call(__NR_fcntl, (UWord)file, kGetLock, (UWord)&lock, 0);
  return sr_isError(asked) || lock.type != kUnlocked;
}

/* Room on the disk for what is about to be used: without it a write would be a SIGBUS. */
static Bool Reserve(ULong place, ULong bytes) {
  const SysRes room = Call(__NR_fallocate, (UWord)file, 0, place, bytes);
  return !sr_isError(room) || sr_Err(room) == kNotSupported;
}

static Bool MakeFile(void) {
  const struct tare_wire_header* recording = recording_header();
  HChar name[64];
  VG_(sprintf)(name, TARE_FLOW_FILE ".%llu.%llu", (ULong)recording->process,
               (ULong)recording->generation);
  file = recording_make_beside(name, kFileBytes);
  return file >= 0 && Reserve(0, VKI_PAGE_SIZE) && LockEngine();
}

/* Words are thrown away from here on, into memory that is in no file. */
static void ThrowAway(void) {
  __atomic_store_n(&header->cut_short, 1, __ATOMIC_RELEASE);
  unread = True;
  MapNowhere(first + kStep * kChunks, kStep);
}

/* The next chunk to be filled has been given back, if it was ever used. */
static void BeginChunk(void) {
  const UInt number = header->written;
  const ULong place = (ULong)(first - (UChar*)header) + kStep * (ULong)(number % kChunks);
  if (!unread && number < kChunks && !Reserve(place, TARE_FLOW_CHUNK + kOverhang)) ThrowAway();
  chunk = first + kStep * (ULong)(unread ? kChunks : number % kChunks);
  words.cursor = (ULong)chunk;
}

/* From here on the words have a place, and a reader may come. */
static void Begin(void) {
  const struct tare_wire_header* recording = recording_header();
  header->version = TARE_FLOW_VERSION;
  header->architecture = recording->architecture;
  header->process = recording->process;
  header->generation = recording->generation;
  header->first_at = (ULong)(first - (UChar*)header);
  header->chunks = kChunks;
  BeginChunk();
  turn = 0;
  due = first_sample;
  words.left = (Long)first_sample - 1;
  __atomic_store_n(&header->magic, TARE_FLOW_MAGIC, __ATOMIC_RELEASE);
}

void flow_open(ULong instructions_between_samples, ULong instructions_before_first) {
  sample = instructions_between_samples;
  first_sample = instructions_before_first != 0 ? instructions_before_first : sample;
  if (!MakeFile()) {
    VG_(umsg)("tare: cannot make the file of the flow\n");
    VG_(exit)(125);
  }
  const SysRes mapped = VG_(am_shared_mmap_file_float_valgrind)(kFileBytes, kMayRun, file, 0);
  if (sr_isError(mapped)) {
    VG_(umsg)("tare: cannot map the file of the flow (error %lu)\n", sr_Err(mapped));
    VG_(exit)(125);
  }
  header = (struct tare_flow_header*)sr_Res(mapped);
  const ULong behind_header = sr_Res(mapped) + VKI_PAGE_SIZE;
  first = (UChar*)((behind_header + kStep - 1) / kStep * kStep);
  Begin();
}

/* Until `taken` has come to `wanted`. False when nobody will ever get there. */
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
  header->chunk_words[written % kChunks] = (UInt)((words.cursor - (ULong)chunk) / 8);
  __atomic_store_n(&header->written, written + 1, __ATOMIC_SEQ_CST);
}

/* A reader that sleeps is woken when half of the chunks are full, and wakes us when half of them
 * are free: waking is dear. */
static void NextChunk(void) {
  const UInt full = header->written - __atomic_load_n(&header->taken, __ATOMIC_ACQUIRE);
  if (full >= kChunks / 2) WakeReader();
  if (full >= kChunks && !WaitUntilTaken(header->written - kChunks / 2)) ThrowAway();
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

/* The program stands still until the reader has seen it. */
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
  VG_(get_shadow_regs_area)(thread, (UChar*)&words, 1, kShadowFlow, sizeof words);
}

static void GiveWords(ThreadId thread) {
  VG_(set_shadow_regs_area)(thread, 1, kShadowFlow, sizeof words, (const UChar*)&words);
}

void flow_attend(void) {
  const ThreadId thread = VG_(get_running_tid)();
  TakeWords(thread);
  if (sample != 0 && words.left < 0) Sample();
  if (IsFull()) EndChunk();
  GiveWords(thread);
}

void flow_start_thread(ThreadId thread) {
  ++threads;
  VG_(set_shadow_regs_area)(thread, 1, kShadowFlow + offsetof(struct flow_words, thread),
                            sizeof threads, (const UChar*)&threads);
}

/* What is told from now on is of this thread. */
static void TurnTo(ThreadId thread) {
  struct flow_words its;
  VG_(get_shadow_regs_area)(thread, (UChar*)&its, 1, kShadowFlow, sizeof its);
  words.thread = its.thread;
  if (its.thread == turn) return;
  turn = its.thread;
  Mark(TARE_FLOW_THREAD, turn);
}

void flow_begin_turn(ThreadId thread, ULong blocks) {
  if (header == NULL) return;
  TurnTo(thread);
  GiveWords(thread);
  in_turn = True;
}

void flow_end_turn(ThreadId thread, ULong blocks) {
  if (header == NULL) return;
  TakeWords(thread);
  in_turn = False;
}

/* Of a fault the core tells in the middle of the thread's turn. */
void flow_before_signal(ThreadId thread, Int signal, Bool alternate_stack) {
  if (header == NULL) return;
  if (in_turn) TakeWords(thread);
  TurnTo(thread);
  Mark(TARE_FLOW_SIGNAL, VG_(get_IP)(thread));
  if (in_turn) GiveWords(thread);
}

void flow_hand_over(void) {
  if (header != NULL) EndChunk();
}

/* The parent's chunks are not the child's, nor is its lock, which its mapping holds too. */
void flow_fork(void) {
  if (header == NULL) return;
  VG_(close)(file);
  const Bool made = !unread && MakeFile();
  const SysRes mapped = made ? VG_(do_syscall)(__NR_mmap, (UWord)header, kFileBytes, kMayRun,
                                               VKI_MAP_SHARED | VKI_MAP_FIXED, (UWord)file, 0, 0, 0)
                             : MapNowhere((UChar*)header, kFileBytes);
  if (sr_isError(mapped)) VG_(exit)(125);
  unread = !made;
  if (unread) ++recording_header()->lost_children;
  Begin();
}

void flow_end(void) {
  if (header == NULL) return;
  if (!unread && words.cursor != (ULong)chunk) Publish();
  __atomic_store_n(&header->ended, 1, __ATOMIC_SEQ_CST);
  WakeReader();
}
