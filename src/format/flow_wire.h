/* flow_wire.h: the blocks that a program runs under Valgrind and the addresses it touches, in
 * order.
 *
 * Plain C, known to the engine and to tare. A flow is words of 64 bits, one flow for each process;
 * threads take turns in it. Each execution of a block leaves a record: the number of a description
 * plus 1, then the words that the description counts. Descriptions stand in the recording of the
 * same process (wire.h). An address that is constant, or a constant distance from a word of the
 * same record, is in the description alone.
 *
 * Words go to chunks of TARE_FLOW_CHUNK bytes. An address inside a chunk has the bit of that value
 * clear, the first one behind it has it set: one test of a bit finds the end. Behind each chunk
 * there is as much room again, into which the last superblock may run: a record never lies in two
 * chunks. docs/formats/flow.md describes it for readers. */
#pragma once

#include <stdint.h>

#define TARE_FLOW_MAGIC UINT64_C(0x31776f6c66657274) /* "treflow1" as bytes */
#define TARE_FLOW_VERSION 1u
#define TARE_FLOW_CHUNK UINT64_C(65536)
#define TARE_FLOW_MAX_CHUNKS 64u
/* Words of one record at most. */
#define TARE_FLOW_RECORD_WORDS 2048u

/* In the run's directory, beside the recording "PROCESS.GENERATION": "flow.PROCESS.GENERATION". */
#define TARE_FLOW_FILE "flow"

/* The first word of a record: a number in the lower 32 bits, and these. */
#define TARE_FLOW_NUMBER UINT64_C(0xffffffff)
#define TARE_FLOW_INSIDE \
  (UINT64_C(1) << 32) /* the thread is inside of the region; without one, never */
#define TARE_FLOW_MARK (UINT64_C(1) << 63) /* no block: the number is a tare_flow_mark */

/* Records of two words. */
enum tare_flow_mark {
  TARE_FLOW_THREAD = 1, /* what follows is of the thread with this number */
  TARE_FLOW_SIGNAL = 2, /* a handler begins; the thread would have gone on at this address */
  TARE_FLOW_SAMPLE = 3  /* so many instructions since the start, or somewhat more; the program waits
                         * until this chunk has been taken */
};

enum tare_flow_kind {
  TARE_FLOW_LOAD = 1,
  TARE_FLOW_STORE = 2,
  TARE_FLOW_GUARDED_LOAD = 3, /* a word of its own, without offset; 0: it was not done */
  TARE_FLOW_GUARDED_STORE = 4
};

/* Bytes of the file that are locked (F_OFD_SETLK, write) by who lives: a lock goes with its
 * process, however that ends, and can be seen from every name space of processes. */
enum tare_flow_lock { TARE_FLOW_LOCK_ENGINE = 0, TARE_FLOW_LOCK_READER = 1 };

/* The file of one process, mapped by the engine and its reader. Chunk i lies at first_at + 2 *
 * TARE_FLOW_CHUNK * i. The engine fills chunk `written` modulo `chunks` and hands it over with the
 * number of its words. Who waits sets its flag, looks again, and sleeps on the other's counter; who
 * counts looks at the flag afterwards. */
struct tare_flow_header {
  uint64_t magic; /* stored last */
  uint32_t version;
  uint32_t architecture; /* ELF's number */
  uint64_t process;
  uint64_t generation;
  uint64_t first_at;
  uint64_t chunks;
  uint64_t cut_short; /* 1: the reader was gone, the rest was thrown away */
  uint32_t written;   /* chunks handed over; wraps round */
  uint32_t taken;     /* by the reader; the engine waits on it while all chunks are full */
  uint32_t reader;    /* process that reads, as it sees itself; 0: none yet */
  uint32_t ended;     /* 1: the last chunk has been handed over */
  uint32_t chunk_words[TARE_FLOW_MAX_CHUNKS];
  uint32_t reader_waits; /* 1: the reader sleeps on `written` */
  uint32_t engine_waits; /* 1: the engine sleeps on `taken`, until it is `engine_wakes` */
  uint32_t engine_wakes;
  uint32_t reserved;
};
