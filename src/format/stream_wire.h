/* stream_wire.h: the blocks that a program built by tare-cc runs and the addresses it touches, in
 * order.
 *
 * Plain C, known to the runtime inside the program, to the compiler's plugin and to tare. A stream
 * is words of 64 bits, one stream for each thread of a module. Code between two calls is a
 * stretch; each execution of one leaves a record: the address of its description, then the words
 * that the description counts. Nothing of the program ever touches a description, so the first
 * word of a record can be told from addresses of data. What is constant, or a constant distance
 * from a word of the same record, is in the description alone.
 *
 * Words go to chunks of TARE_STREAM_CHUNK bytes. An address inside a chunk has the bit of that
 * value clear, the first one behind it has it set: one test of a bit finds the end. A record never
 * lies in two chunks. docs/formats/stream.md describes it for readers. */
#pragma once

#include <stdint.h>

#define TARE_STREAM_MAGIC UINT64_C(0x316d727473657274) /* "trestrm1" as bytes */
#define TARE_STREAM_VERSION 1u
#define TARE_STREAM_CHUNK UINT64_C(65536)
/* Words of one record at most. */
#define TARE_STREAM_RECORD_WORDS 1024u
/* What the cursor is before a thread has a chunk: its first record asks for one. */
#define TARE_STREAM_NO_CHUNK TARE_STREAM_CHUNK

/* Sections of a module. */
#define TARE_STREAM_SECTION "tare_stream"             /* tare_stream_stretch */
#define TARE_STREAM_SITES_SECTION "tare_stream_sites" /* as tare_sites: slot is the number */

/* In the run's directory: "stream.PROCESS.THREAD.NUMBER". */
#define TARE_STREAM_FILE "stream"

/* A description; its accesses follow. A multiple of 8 bytes. */
struct tare_stream_stretch {
  uint64_t unit;     /* as in the sites */
  uint32_t number;   /* in the unit */
  uint16_t words;    /* of a record, the first one included */
  uint16_t accesses; /* with bit 15 set: it is the beginning of a block */
};
#define TARE_STREAM_BEGINS_BLOCK UINT16_C(0x8000)

enum tare_stream_kind {
  TARE_STREAM_LOAD = 1,
  TARE_STREAM_STORE = 2,
  TARE_STREAM_ATOMIC = 3,      /* loads and stores */
  TARE_STREAM_MASKED_LOAD = 4, /* at most so many bytes */
  TARE_STREAM_MASKED_STORE = 5,
  TARE_STREAM_COPY = 6, /* words: to, from, bytes; 0 bytes are none */
  TARE_STREAM_SET = 7   /* words: to, bytes */
};

struct tare_stream_access {
  int64_t offset; /* added to the word; for word 0: the address less the address of this member */
  uint32_t bytes; /* of a copy or set: 0 */
  uint16_t word;  /* of the record; 0: none, the address is constant */
  uint16_t kind;
};

/* The file of one thread, mapped by the program and its reader. Chunk i lies at first_at + 2 *
 * TARE_STREAM_CHUNK * i. The program fills chunk `written` modulo `chunks` while it runs: a reader
 * takes it as far as the first record whose first word is 0. A reader clears what it has taken. */
struct tare_stream_header {
  uint64_t magic; /* stored last */
  uint32_t version;
  uint32_t architecture; /* ELF's number */
  uint64_t process;
  uint64_t thread;
  uint64_t first_at;
  uint64_t chunks;
  uint64_t section_address; /* of the descriptions in memory */
  uint64_t section_bytes;
  uint64_t load_bias;
  uint64_t path_at;    /* of the module; ends with a zero */
  uint64_t path_bytes; /* the zero included */
  uint64_t cut_short;  /* 1: the reader was gone, the rest was thrown away */
  uint32_t written;    /* chunks handed over; wraps round */
  uint32_t taken;      /* by the reader; the program waits on it while all chunks are full */
  uint32_t reader;     /* process that reads; 0: none, then nobody waits */
  uint32_t reserved;
};
