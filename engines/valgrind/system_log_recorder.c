/* system_log_recorder.c: appends system inputs to a mapped system log. */
#include "source_index.h"
#include "system_log.h"

static Int system_log_fd = -1;
static UChar* base;
static struct tare_system_log_header* header;
static ULong reserved; /* bytes of the file with reserved disk space */
static Bool full;
static struct source_index* known;

enum {
  kStep = 1 << 20,
  kSystemLogFlags = VKI_O_RDWR | VKI_O_CREAT | VKI_O_TRUNC,
  /* Not in Valgrind's headers: */
  kLimitFileSize = 1, /* RLIMIT_FSIZE */
  kOverQuota = 122    /* EDQUOT */
};

static SysRes Call(UWord number, UWord a1, UWord a2, UWord a3, UWord a4) {
  return VG_(do_syscall)(number, a1, a2, a3, a4, 0, 0, 0, 0);
}

static void Refuse(const HChar* path, const HChar* what) {
  VG_(umsg)("tare: cannot create the system log %s: %s\n", path, what);
  VG_(exit)(125);
}

/* A store to a mapped page without disk space would raise SIGBUS. */
static Bool Reserve(ULong bytes) {
  if (bytes <= reserved) return True;
  const ULong left = TARE_SYSTEM_LOG_HEADER_BYTES + TARE_SYSTEM_LOG_RECORDS_BYTES - reserved;
  const ULong step = left < kStep ? left : kStep;
  const SysRes allocated = Call(__NR_fallocate, (UWord)system_log_fd, 0, reserved, step);
  if (sr_isError(allocated) && (sr_Err(allocated) == VKI_ENOSPC || sr_Err(allocated) == kOverQuota))
    return False;
  reserved += step;
  return Reserve(bytes);
}

void system_log_record_to(const HChar* path) {
  const ULong bytes = TARE_SYSTEM_LOG_HEADER_BYTES + TARE_SYSTEM_LOG_RECORDS_BYTES;
  const SysRes opened = VG_(open)(path, kSystemLogFlags, 0600);
  if (sr_isError(opened)) Refuse(path, "it cannot be opened");
  system_log_fd = VG_(safe_fd)((Int)sr_Res(opened));
  /* Above RLIMIT_FSIZE, ftruncate(2) would raise SIGXFSZ in the measured program. */
  struct vki_rlimit limit;
  if (VG_(getrlimit)(kLimitFileSize, &limit) == 0 && limit.rlim_cur < bytes) {
    Refuse(path, "the limit on file sizes is lower than 33 MiB");
  }
  if (sr_isError(Call(__NR_ftruncate, (UWord)system_log_fd, bytes, 0, 0)) ||
      !Reserve(TARE_SYSTEM_LOG_HEADER_BYTES)) {
    Refuse(path, "there is no space for it");
  }
  const SysRes mapped = VG_(am_shared_mmap_file_float_valgrind)(
      bytes, VKI_PROT_READ | VKI_PROT_WRITE, system_log_fd, 0);
  if (sr_isError(mapped)) Refuse(path, "it cannot be mapped");
  known = VG_(calloc)("tare.system_log", 1, sizeof *known);
  base = (UChar*)sr_Res(mapped);
  header = (struct tare_system_log_header*)base;
  header->version = TARE_SYSTEM_LOG_VERSION;
#if defined(VGA_amd64)
  header->architecture = 62;
#else
  header->architecture = 183;
#endif
  header->process = (ULong)VG_(getpid)();
  header->records_bytes = TARE_SYSTEM_LOG_RECORDS_BYTES;
  __atomic_store_n(&header->magic, TARE_SYSTEM_LOG_MAGIC, __ATOMIC_RELEASE);
}

Bool system_log_records(void) { return header != NULL; }

void system_log_count_call(UInt number) {
  ++header->calls[number < TARE_SYSTEM_LOG_CALLS ? number : TARE_SYSTEM_LOG_CALLS - 1];
}

void system_log_count_request(UInt kind) { ++header->requests[kind]; }

Bool system_log_knows(const struct system_log_source* source) {
  return source_find(known, source) != 0;
}

/* Returns room for a record after the used part; NULL when there is none. */
static struct tare_system_log_record* NewRecord(UInt stream, SizeT bytes, Long result) {
  const ULong whole = tare_system_log_record_bytes((UInt)bytes);
  if (full || bytes > TARE_SYSTEM_LOG_RECORDS_BYTES ||
      whole > TARE_SYSTEM_LOG_RECORDS_BYTES - header->used ||
      !Reserve(TARE_SYSTEM_LOG_HEADER_BYTES + header->used + whole)) {
    /* All streams end here, even if a smaller record would still fit. */
    full = True;
    return NULL;
  }
  struct tare_system_log_record* record =
      (struct tare_system_log_record*)(base + TARE_SYSTEM_LOG_HEADER_BYTES + header->used);
  record->stream = stream;
  record->bytes = (UInt)bytes;
  record->result = result;
  return record;
}

static void Commit(const struct tare_system_log_record* record) {
  __atomic_store_n(&header->used, header->used + tare_system_log_record_bytes(record->bytes),
                   __ATOMIC_RELEASE);
}

static UInt DescribeStream(const struct system_log_source* source) {
  const HChar* name = source->name == NULL ? "" : source->name;
  SizeT letters = VG_(strlen)(name);
  if (letters >= TARE_SYSTEM_LOG_NAME_BYTES) letters = TARE_SYSTEM_LOG_NAME_BYTES - 1;
  struct tare_system_log_record* record =
      NewRecord(0, sizeof(struct tare_system_log_stream) + letters + 1, 0);
  if (record == NULL) return 0;
  const UInt number = source_add(known, source);
  if (number == 0) return 0;
  struct tare_system_log_stream* stream = (struct tare_system_log_stream*)(record + 1);
  stream->kind = source->kind;
  stream->call = source->call;
  stream->key = source->key;
  HChar* to = (HChar*)(stream + 1);
  VG_(memcpy)(to, name, letters);
  to[letters] = 0;
  Commit(record);
  return number;
}

void system_log_append(const struct system_log_source* source, Long result,
                       const struct system_log_pieces* pieces, SizeT bytes) {
  UInt stream = source_find(known, source);
  if (stream == 0) stream = DescribeStream(source);
  struct tare_system_log_record* record = stream == 0 ? NULL : NewRecord(stream, bytes, result);
  if (record == NULL) {
    ++header->lost_inputs;
    return;
  }
  UChar* to = (UChar*)(record + 1);
  for (UInt i = 0; i < pieces->used && bytes > 0; ++i) {
    const struct system_log_piece piece = pieces->piece[i];
    const SizeT taken = piece.bytes < bytes ? piece.bytes : bytes;
    VG_(memcpy)(to, (const void*)piece.at, taken);
    to += taken;
    bytes -= taken;
  }
  Commit(record);
}

void system_log_stop(void) { header = NULL; }
