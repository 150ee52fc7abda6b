/* system_log_wire.h: what a program asked the system for and was told, in order.
 *
 * Plain C, known to the engine that writes and plays logs and to tare. One file:
 *
 *   header | records, appended
 *
 * Answers of one source (a clock, the generator of random numbers, one file of /proc) form a
 * stream: the n-th question to the source has the n-th answer, whichever thread asks. A record
 * without a stream describes the next stream; it comes before the first answer of it.
 * `used` is stored after the record is whole, so that what it names can be read however the
 * program ended. docs/formats/system-log.md describes it for readers. */
#pragma once

#include <stdint.h>

#define TARE_SYSTEM_LOG_MAGIC UINT64_C(0x3165706174657274) /* "tretape1" as bytes */
#define TARE_SYSTEM_LOG_VERSION 1u

/* Where the records begin, and the room for them. */
#define TARE_SYSTEM_LOG_HEADER_BYTES UINT64_C(8192)
#define TARE_SYSTEM_LOG_RECORDS_BYTES (UINT64_C(32) << 20)

/* System calls of higher numbers are counted in the last place. */
#define TARE_SYSTEM_LOG_CALLS 512u
#define TARE_SYSTEM_LOG_STREAMS 4096u
#define TARE_SYSTEM_LOG_PATHS 1000u
#define TARE_SYSTEM_LOG_NAME_BYTES 1024u

/* What the question was about. Answers of the first three can be played back. */
enum tare_system_log_kind {
  TARE_SYSTEM_LOG_TIME = 1,
  TARE_SYSTEM_LOG_RANDOM = 2,
  TARE_SYSTEM_LOG_SYSTEM = 3,  /* files of /proc and /sys, use of the machine, the core it is on */
  TARE_SYSTEM_LOG_PROCESS = 4, /* ids of processes and threads */
  TARE_SYSTEM_LOG_THREAD = 5,  /* threads made */
  TARE_SYSTEM_LOG_NETWORK = 6, /* only how often */
  TARE_SYSTEM_LOG_FILE_STATE = 7, /* only how often */
  TARE_SYSTEM_LOG_PATH = 8 /* one stream for each path that was to be opened, with one answer */
};
#define TARE_SYSTEM_LOG_KINDS 9u

/* "Calls" of streams that are instructions. */
enum tare_system_log_instruction {
  TARE_SYSTEM_LOG_CLOCK_INSTRUCTION = 0x10001, /* payload: the clock, the core's number */
  TARE_SYSTEM_LOG_RANDOM_INSTRUCTION = 0x10002
};

struct tare_system_log_header {
  uint64_t magic; /* stored last */
  uint32_t version;
  uint32_t architecture; /* ELF's number */
  uint64_t process;
  uint64_t records_bytes; /* room for records, from TARE_SYSTEM_LOG_HEADER_BYTES on */
  uint64_t used;          /* bytes of records that are whole */
  uint64_t lost_answers;  /* found no room; what was asked is counted all the same */
  uint64_t reserved[2];
  uint64_t asked[TARE_SYSTEM_LOG_KINDS]; /* by kind */
  uint64_t calls[TARE_SYSTEM_LOG_CALLS]; /* by number of the system call */
};

/* An answer: `result` is what the call returned, an error as -errno; `bytes` of payload follow,
 * what the program found in its memory, padded to a multiple of 8. */
struct tare_system_log_record {
  uint32_t stream; /* from 1; 0: the payload is a tare_system_log_stream */
  uint32_t bytes;
  int64_t result;
};

/* The name follows, terminated by a zero. */
struct tare_system_log_stream {
  uint32_t kind;
  uint32_t call; /* system call or tare_system_log_instruction */
  uint64_t key;  /* clock, or hash of the name, or 0 */
};

static inline uint64_t tare_system_log_record_bytes(uint32_t payload) {
  const uint64_t bytes = payload;
  return sizeof(struct tare_system_log_record) + ((bytes + 7) & ~UINT64_C(7));
}
