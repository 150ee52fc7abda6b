/* system_log_reader.c: reads an untrusted system log and finds the inputs of a source. */
#include "source_index.h"
#include "system_log.h"

static Bool replays[TARE_SYSTEM_LOG_KINDS];
static struct source_index* known;
static struct system_log_stream_state* streams; /* by number, from 1 */

static void Refuse(const HChar* path, const HChar* what) {
  VG_(umsg)("tare: cannot replay the system log %s: %s\n", path, what);
  VG_(exit)(125);
}

/* A file in memory. */
struct loaded {
  const HChar* path;
  UChar* bytes;
  ULong size;
};

static struct loaded Load(const HChar* path) {
  struct loaded file = {path, NULL, 0};
  const SysRes opened = VG_(open)(path, VKI_O_RDONLY, 0);
  if (sr_isError(opened)) Refuse(path, "it cannot be opened");
  const Int fd = (Int)sr_Res(opened);
  const Off64T size = VG_(lseek)(fd, 0, VKI_SEEK_END);
  if (size < (Off64T)TARE_SYSTEM_LOG_HEADER_BYTES ||
      size > (Off64T)(TARE_SYSTEM_LOG_HEADER_BYTES + TARE_SYSTEM_LOG_RECORDS_BYTES)) {
    Refuse(path, "its size is not that of a system log");
  }
  VG_(lseek)(fd, 0, VKI_SEEK_SET);
  file.bytes = VG_(malloc)("tare.system_log", (SizeT)size);
  while (file.size < (ULong)size) {
    const Int got = VG_(read)(fd, file.bytes + file.size, (Int)((ULong)size - file.size));
    if (got <= 0) Refuse(path, "it cannot be read");
    file.size += (ULong)got;
  }
  VG_(close)(fd);
  return file;
}

static void CheckHeader(const struct loaded* file) {
  const struct tare_system_log_header* header = (const struct tare_system_log_header*)file->bytes;
  if (header->magic != TARE_SYSTEM_LOG_MAGIC) Refuse(file->path, "it has no system log header");
  if (header->version != TARE_SYSTEM_LOG_VERSION) Refuse(file->path, "it has another version");
  if (header->used > file->size - TARE_SYSTEM_LOG_HEADER_BYTES)
    Refuse(file->path, "it is truncated");
#if defined(VGA_amd64)
  const UInt here = 62;
#else
  const UInt here = 183;
#endif
  if (header->architecture != here) Refuse(file->path, "it is from another architecture");
}

/* Iterates over the records of a log. */
struct walk {
  const struct loaded* file;
  ULong place; /* offset in the file */
  ULong end;
  UInt described;                                /* streams described so far */
  UShort number_of[TARE_SYSTEM_LOG_STREAMS + 1]; /* our number by the log's; 0: other kind */
};

static struct walk* BeginWalk(const struct loaded* file) {
  struct walk* walk = VG_(calloc)("tare.system_log", 1, sizeof *walk);
  walk->file = file;
  walk->place = TARE_SYSTEM_LOG_HEADER_BYTES;
  walk->end = walk->place + ((const struct tare_system_log_header*)file->bytes)->used;
  return walk;
}

/* Returns NULL at the end. */
static const struct tare_system_log_record* NextRecord(struct walk* walk) {
  if (walk->place == walk->end) return NULL;
  const struct tare_system_log_record* record =
      (const struct tare_system_log_record*)(walk->file->bytes + walk->place);
  if (walk->end - walk->place < sizeof *record ||
      tare_system_log_record_bytes(record->bytes) > walk->end - walk->place) {
    Refuse(walk->file->path, "a record is truncated");
  }
  walk->place += tare_system_log_record_bytes(record->bytes);
  return record;
}

static void AddStream(struct walk* walk, const struct tare_system_log_record* record, UInt kind) {
  const struct tare_system_log_stream* stream = (const struct tare_system_log_stream*)(record + 1);
  if (record->bytes < sizeof *stream || walk->described == TARE_SYSTEM_LOG_STREAMS) {
    Refuse(walk->file->path, "it has an invalid stream");
  }
  const struct system_log_source source = {stream->kind, stream->call, stream->key, NULL};
  ++walk->described;
  if (source.kind != kind) return;
  UInt number = source_find(known, &source);
  if (number == 0) number = source_add(known, &source);
  if (number == 0) Refuse(walk->file->path, "it has too many streams");
  walk->number_of[walk->described] = (UShort)number;
}

/* Returns the stream of an input; NULL when it is not of the replayed kind. */
static struct system_log_stream_state* StreamOf(const struct walk* walk,
                                                const struct tare_system_log_record* record) {
  if (record->stream > walk->described) Refuse(walk->file->path, "an input has no stream");
  const UInt number = walk->number_of[record->stream];
  return number == 0 ? NULL : &streams[number];
}

/* Returns the next input of a replayed stream; NULL after the last. */
static const struct tare_system_log_record* NextInput(struct walk* walk, UInt kind,
                                                      struct system_log_stream_state** stream) {
  const struct tare_system_log_record* record;
  while ((record = NextRecord(walk)) != NULL) {
    if (record->stream == 0) {
      AddStream(walk, record, kind);
      continue;
    }
    *stream = StreamOf(walk, record);
    if (*stream != NULL) return record;
  }
  return NULL;
}

static void Count(const struct loaded* file, UInt kind) {
  struct walk* walk = BeginWalk(file);
  struct system_log_stream_state* stream;
  while (NextInput(walk, kind, &stream) != NULL) ++stream->inputs;
  VG_(free)(walk);
}

static void Place(const struct loaded* file, UInt kind) {
  struct walk* walk = BeginWalk(file);
  const UChar* records = file->bytes + TARE_SYSTEM_LOG_HEADER_BYTES;
  struct system_log_stream_state* stream;
  const struct tare_system_log_record* record;
  while ((record = NextInput(walk, kind, &stream)) != NULL) {
    if (stream->places == NULL) {
      stream->records = records;
      stream->places = VG_(malloc)("tare.system_log", stream->inputs * sizeof(UInt));
    }
    stream->places[stream->next++] = (UInt)(((const UChar*)record - records) / 8);
  }
  VG_(free)(walk);
}

void system_log_replay_from(const HChar* path, UInt kind) {
  if (known == NULL) {
    known = VG_(calloc)("tare.system_log", 1, sizeof *known);
    streams = VG_(calloc)("tare.system_log", TARE_SYSTEM_LOG_STREAMS + 1, sizeof *streams);
  }
  const UInt before = known->used;
  const struct loaded file = Load(path);
  CheckHeader(&file);
  Count(&file, kind);
  Place(&file, kind);
  for (UInt number = before + 1; number <= known->used; ++number) streams[number].next = 0;
  replays[kind] = True;
}

Bool system_log_replays(UInt kind) { return replays[kind]; }

struct system_log_stream_state* system_log_find(const struct system_log_source* source) {
  const UInt number = source_find(known, source);
  return number == 0 || streams[number].inputs == 0 ? NULL : &streams[number];
}

const struct tare_system_log_record* system_log_input(const struct system_log_stream_state* stream,
                                                      UInt n) {
  return (const struct tare_system_log_record*)(stream->records + 8 * (ULong)stream->places[n]);
}
