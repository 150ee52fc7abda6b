/* block_flow.c: fills the chunks of a mapped file and waits for the reader while all are full. */
#include "block_flow.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "recording.h"

enum {
  /* Half a megabyte, so that the chunks stay in a cache that both cores share. */
  kChunks = 8,
  kStep = 2 * TARE_FLOW_CHUNK,
  kHeader = 4096,
  kBuffersAt = kHeader + kStep * kChunks,
  kBufferBytes = sizeof(struct tare_flow_buffer),
  kFileBytes = kBuffersAt + kFlowBuffers * kBufferBytes,
  /* A buffer and a mark may extend past the end of their chunk. */
  kOverhang = kBufferBytes,
  kWaitNs = 100000000,
  kWaitsForFirstReader = 100
};

static pthread_mutex_t handing_over = PTHREAD_MUTEX_INITIALIZER;
static struct tare_flow_header* header;
static int file = -1;
static bool unread;             /* words are discarded */
static uint64_t* chunk;         /* the chunk that is being filled */
static uint32_t filled;         /* words in it */
static uint64_t threads;        /* threads started so far */
static uint64_t current_thread; /* the last words are of this thread; 0: none yet */

static struct flock LockAt(off_t place) {
  const struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = place, .l_len = 1};
  return lock;
}

/* A program that closes all descriptors closes the flow's, too. */
static bool ReaderLives(void) {
  struct flock lock = LockAt(TARE_FLOW_LOCK_READER);
  if (fcntl(file, F_OFD_GETLK, &lock) == 0) return lock.l_type != F_UNLCK;
  return kill((pid_t)__atomic_load_n(&header->reader, __ATOMIC_ACQUIRE), 0) == 0 || errno == EPERM;
}

/* Reserves disk space for a part of the file. A store to a mapped page without disk space would
 * raise SIGBUS. */
static bool Reserve(uint64_t place, uint64_t bytes) {
  /* A signal to the program interrupts fallocate(2); a stop does so even if all are blocked. */
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  int error = EINTR;
  for (int tries = 0; tries < 100 && error == EINTR; ++tries) {
    error = fallocate(file, 0, (off_t)place, (off_t)bytes) == 0 ? 0 : errno;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return error == 0 || error == EOPNOTSUPP;
}

static bool MakeFile(void) {
  const struct tare_wire_header* recording = recording_header();
  char name[64];
  snprintf(name, sizeof name, TARE_FLOW_FILE ".%llu.%llu", (unsigned long long)recording->process,
           (unsigned long long)recording->generation);
  file = recording_make_beside(name, kFileBytes);
  struct flock lock = LockAt(TARE_FLOW_LOCK_ENGINE);
  return file >= 0 && Reserve(0, kHeader) && fcntl(file, F_OFD_SETLK, &lock) == 0;
}

/* From here on, words are discarded. */
static void ThrowAway(void) {
  __atomic_store_n(&header->cut_short, 1, __ATOMIC_RELEASE);
  unread = true;
}

/* Precondition: the reader has released the next chunk, if it was ever used. */
static void BeginChunk(void) {
  const uint32_t number = header->written;
  const uint64_t place = kHeader + (uint64_t)kStep * (number % kChunks);
  if (number < kChunks && !Reserve(place, TARE_FLOW_CHUNK + kOverhang)) ThrowAway();
  chunk = (uint64_t*)(void*)((uint8_t*)header + place);
  filled = 0;
}

/* Publishes the header to the reader by storing the magic number last. */
static void Begin(void) {
  const struct tare_wire_header* recording = recording_header();
  header->version = TARE_FLOW_VERSION;
  header->architecture = recording->architecture;
  header->process = recording->process;
  header->generation = recording->generation;
  header->first_at = kHeader;
  header->chunks = kChunks;
  header->buffers_at = kBuffersAt;
  BeginChunk();
  current_thread = 0;
  __atomic_store_n(&header->magic, TARE_FLOW_MAGIC, __ATOMIC_RELEASE);
}

bool block_flow_open(void) {
  if (!MakeFile()) {
    fprintf(stderr, "tare: cannot create the flow file: %s\n", strerror(errno));
    return false;
  }
  void* memory = mmap(NULL, kFileBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) {
    fprintf(stderr, "tare: cannot map the flow file: %s\n", strerror(errno));
    return false;
  }
  header = memory;
  Begin();
  return true;
}

static bool TakeBuffer(struct flow_buffer* buffer, unsigned number) {
  buffer->words = NULL;
  const uint64_t place = kBuffersAt + (uint64_t)number * kBufferBytes;
  if (number >= kFlowBuffers || (!unread && !Reserve(place, kBufferBytes))) return false;
  buffer->words = (struct tare_flow_buffer*)(void*)((uint8_t*)header + place);
  buffer->words->thread = buffer->thread;
  buffer->words->used = 0;
  if (number >= header->buffers) {
    __atomic_store_n(&header->buffers, number + UINT64_C(1), __ATOMIC_RELEASE);
  }
  return true;
}

bool block_flow_start_thread(struct flow_buffer* buffer, unsigned number) {
  pthread_mutex_lock(&handing_over);
  buffer->thread = ++threads;
  const bool taken = TakeBuffer(buffer, number);
  pthread_mutex_unlock(&handing_over);
  return taken;
}

/* Waits until `taken` reaches `wanted`. Returns false when there is no reader, so that it never
 * will. */
static bool WaitUntilTaken(uint32_t wanted) {
  for (int waits = 0;; ++waits) {
    __atomic_store_n(&header->engine_wakes, wanted, __ATOMIC_RELAXED);
    __atomic_store_n(&header->engine_waits, 1, __ATOMIC_SEQ_CST);
    const uint32_t taken = __atomic_load_n(&header->taken, __ATOMIC_SEQ_CST);
    if ((int32_t)(taken - wanted) >= 0) break;
    const struct timespec most = {0, kWaitNs};
    syscall(SYS_futex, &header->taken, FUTEX_WAIT, taken, &most, NULL, 0);
    if (__atomic_load_n(&header->taken, __ATOMIC_ACQUIRE) != taken) continue;
    const uint32_t reader = __atomic_load_n(&header->reader, __ATOMIC_ACQUIRE);
    if (reader == 0 ? waits >= kWaitsForFirstReader : !ReaderLives()) return false;
  }
  __atomic_store_n(&header->engine_waits, 0, __ATOMIC_RELAXED);
  return true;
}

static void WakeReader(void) {
  if (__atomic_load_n(&header->reader_waits, __ATOMIC_SEQ_CST) == 0) return;
  syscall(SYS_futex, &header->written, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void Publish(void) {
  const uint32_t written = header->written;
  header->chunk_words[written % kChunks] = filled;
  __atomic_store_n(&header->filled, 0, __ATOMIC_SEQ_CST);
  __atomic_store_n(&header->written, written + 1, __ATOMIC_SEQ_CST);
}

/* Wakes a sleeping reader only when half of the chunks are full, and the reader wakes the engine
 * only when half of them are free, because each wake-up is an expensive system call. */
static void EndChunk(void) {
  Publish();
  const uint32_t full = header->written - __atomic_load_n(&header->taken, __ATOMIC_ACQUIRE);
  if (full >= kChunks / 2) WakeReader();
  if (full >= kChunks && !WaitUntilTaken(header->written - kChunks / 2)) ThrowAway();
  if (!unread) BeginChunk();
}

/* A process that is killed in between loses the words, which its counters show. */
static void Append(const struct flow_buffer* buffer) {
  const uint64_t used = buffer->words->used;
  if (buffer->thread != current_thread) {
    current_thread = buffer->thread;
    chunk[filled++] = TARE_FLOW_MARK | TARE_FLOW_THREAD;
    chunk[filled++] = current_thread;
  }
  memcpy(chunk + filled, buffer->words->words, sizeof *chunk * used);
  filled += (uint32_t)used;
  __atomic_store_n(&buffer->words->used, 0, __ATOMIC_RELEASE);
  __atomic_store_n(&header->filled, filled, __ATOMIC_RELEASE);
}

void block_flow_hand_over(struct flow_buffer* buffer) {
  if (buffer->words == NULL || buffer->words->used == 0) return;
  /* The system calls of this function may not change what the program sees. */
  const int error = errno;
  pthread_mutex_lock(&handing_over);
  /* At the end of the program another thread hands this buffer over, too. */
  if (!unread && buffer->words->used > 0) Append(buffer);
  buffer->words->used = 0;
  if (!unread && filled >= TARE_FLOW_CHUNK / sizeof *chunk) EndChunk();
  pthread_mutex_unlock(&handing_over);
  errno = error;
}

void block_flow_before_fork(void) { pthread_mutex_lock(&handing_over); }
void block_flow_after_fork(void) { pthread_mutex_unlock(&handing_over); }

/* The child needs its own chunks and its own lock. The mapping shares the open file description and
 * thus the parent's lock (F_OFD_SETLK, fcntl(2)). */
void block_flow_fork(struct flow_buffer* buffer) {
  close(file);
  const bool created = !unread && MakeFile();
  const int flags = created ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS;
  if (mmap(header, kFileBytes, PROT_READ | PROT_WRITE, flags | MAP_FIXED, created ? file : -1, 0) ==
      MAP_FAILED) {
    abort();
  }
  unread = !created;
  if (unread) {
    ++recording_header()->lost_children;
  } else {
    Begin();
  }
  if (buffer != NULL && buffer->words != NULL) {
    const uint8_t* first = (const uint8_t*)header + kBuffersAt;
    const uint64_t number = (uint64_t)((const uint8_t*)buffer->words - first) / kBufferBytes;
    if (!TakeBuffer(buffer, (unsigned)number)) ThrowAway();
  }
  pthread_mutex_unlock(&handing_over);
}

void block_flow_end(void) {
  pthread_mutex_lock(&handing_over);
  if (!unread && filled > 0) Publish();
  unread = true;
  __atomic_store_n(&header->ended, 1, __ATOMIC_SEQ_CST);
  WakeReader();
  pthread_mutex_unlock(&handing_over);
}
