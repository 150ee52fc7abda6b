/* stream_wire.h: the blocks that a program built by tare-cc executes and the addresses it accesses,
 * in order.
 *
 * Plain C, included by the runtime inside the program, by the compiler plugin and by tare. A stream
 * consists of 64-bit words; there is one stream per thread of a module. A stretch is code between
 * two calls. Each execution of a stretch writes a record: the address of its description, then as
 * many words as the description says. The program never accesses a description, so the first word
 * of a record differs from all data addresses. A constant address, or an address at a constant
 * distance from a word of the same record, is only in the description.
 *
 * Words are written to chunks of TARE_STREAM_CHUNK bytes. In addresses inside a chunk the bit of
 * that value is clear, in the first address after it the bit is set, so that one bit test detects
 * the end. No record is split between two chunks. docs/formats/stream.md documents the format. */
#pragma once

#include <stdint.h>

#define TARE_STREAM_MAGIC UINT64_C(0x316d727473657274) /* the bytes "trestrm1" */
#define TARE_STREAM_VERSION 1u
#define TARE_STREAM_CHUNK UINT64_C(65536)
/* The maximum number of words per record. */
#define TARE_STREAM_RECORD_WORDS 1024u
/* The cursor before a thread has a chunk: its first record requests one. */
#define TARE_STREAM_NO_CHUNK TARE_STREAM_CHUNK

/* Sections of a module. */
#define TARE_STREAM_SECTION "tare_stream"             /* tare_stream_stretch */
#define TARE_STREAM_SITES_SECTION "tare_stream_sites" /* like tare_sites; slot: the stretch */

/* The file "stream.PROCESS.THREAD.NUMBER" in the run's directory. */
#define TARE_STREAM_FILE "stream"

/* A description, followed by its accesses. Its size is a multiple of 8 bytes. */
struct tare_stream_stretch {
  uint64_t unit;     /* as in the sites */
  uint32_t number;   /* in the unit */
  uint16_t words;    /* words per record, including the first */
  uint16_t accesses; /* at most TARE_STREAM_MAX_ACCESSES, and two flags */
};
#define TARE_STREAM_MAX_ACCESSES UINT16_C(0x3fff)
#define TARE_STREAM_BEGINS_BLOCK UINT16_C(0x8000)
#define TARE_STREAM_NO_ADDRESSES UINT16_C(0x4000) /* its accesses are not described */

enum tare_stream_kind {
  TARE_STREAM_LOAD = 1,
  TARE_STREAM_STORE = 2,
  TARE_STREAM_ATOMIC = 3,      /* load and store */
  TARE_STREAM_MASKED_LOAD = 4, /* at most this many bytes */
  TARE_STREAM_MASKED_STORE = 5,
  TARE_STREAM_COPY = 6, /* words: to, from, bytes; nothing happens for 0 bytes */
  TARE_STREAM_SET = 7   /* words: to, bytes */
};

struct tare_stream_access {
  int64_t offset; /* added to the word; for word 0: the address minus the address of this member */
  uint32_t bytes; /* 0 for a copy or set */
  uint16_t word;  /* index of the word in the record; 0: none, the address is constant */
  uint16_t kind;
};

/* The file of one thread, mapped by the program and its reader. Chunk i is at first_at + 2 *
 * TARE_STREAM_CHUNK * i. The program fills chunk `written` modulo `chunks` while it runs; a reader
 * takes it up to the first record whose first word is 0, and clears the chunks that it has taken.
 */
struct tare_stream_header {
  uint64_t magic; /* stored last */
  uint32_t version;
  uint32_t architecture; /* e_machine of ELF */
  uint64_t process;
  uint64_t thread;
  uint64_t first_at;
  uint64_t chunks;
  uint64_t section_address; /* address of the descriptions in memory */
  uint64_t section_bytes;
  uint64_t load_bias;
  uint64_t path_at;    /* path of the module, zero-terminated */
  uint64_t path_bytes; /* including the terminating zero */
  uint64_t cut_short;  /* 1: the reader was gone, and the rest was discarded */
  uint32_t written;    /* chunks handed over; wraps around */
  uint32_t taken;      /* by the reader; the program waits on it while all chunks are full */
  uint32_t reader;     /* PID of the reader; 0: none, then the program does not wait */
  uint32_t reserved;
};
