/* system_log_wire.h: the system inputs of a program, in order.
 *
 * Plain C, included by the engine that records and replays logs and by tare. One file:
 *
 *   header | records, appended
 *
 * The inputs from one source (a clock, the random number generator, one file of /proc) form a
 * stream: the n-th request to the source gets the n-th input, regardless of the thread. A record
 * without a stream describes the next stream and precedes its first input. `used` is stored after
 * the record is complete, so that all records before it can be read however the program ended.
 * docs/formats/system-log.md documents the format. */
#pragma once

#include <stdint.h>

#define TARE_SYSTEM_LOG_MAGIC UINT64_C(0x676c737973657274) /* the bytes "tresyslg" */
#define TARE_SYSTEM_LOG_VERSION 1u

/* The offset of the records, and the space for them. */
#define TARE_SYSTEM_LOG_HEADER_BYTES UINT64_C(8192)
#define TARE_SYSTEM_LOG_RECORDS_BYTES (UINT64_C(32) << 20)

/* System calls with higher numbers are counted in the last element. */
#define TARE_SYSTEM_LOG_CALLS 512u
#define TARE_SYSTEM_LOG_STREAMS 4096u
#define TARE_SYSTEM_LOG_PATHS 1000u
#define TARE_SYSTEM_LOG_NAME_BYTES 1024u

/* The kind of input. The first three can be replayed. */
enum tare_system_log_kind {
  TARE_SYSTEM_LOG_TIME = 1,
  TARE_SYSTEM_LOG_RANDOM = 2,
  TARE_SYSTEM_LOG_SYSTEM = 3,     /* files of /proc and /sys, resource usage, the current core */
  TARE_SYSTEM_LOG_PROCESS = 4,    /* IDs of processes and threads */
  TARE_SYSTEM_LOG_THREAD = 5,     /* created threads */
  TARE_SYSTEM_LOG_NETWORK = 6,    /* only counted */
  TARE_SYSTEM_LOG_FILE_STATE = 7, /* only counted */
  TARE_SYSTEM_LOG_PATH = 8        /* one stream per path passed to an open call, with one input */
};
#define TARE_SYSTEM_LOG_KINDS 9u

/* Values of `call` for streams of instructions. */
enum tare_system_log_instruction {
  TARE_SYSTEM_LOG_CLOCK_INSTRUCTION = 0x10001, /* payload: the clock, the core's number */
  TARE_SYSTEM_LOG_RANDOM_INSTRUCTION = 0x10002
};

struct tare_system_log_header {
  uint64_t magic; /* stored last */
  uint32_t version;
  uint32_t architecture; /* e_machine of ELF */
  uint64_t process;
  uint64_t records_bytes; /* space for records, from TARE_SYSTEM_LOG_HEADER_BYTES on */
  uint64_t used;          /* bytes of complete records */
  uint64_t lost_inputs;   /* inputs that found no room; their requests are still counted */
  uint64_t reserved[2];
  uint64_t requests[TARE_SYSTEM_LOG_KINDS]; /* requests by kind */
  uint64_t calls[TARE_SYSTEM_LOG_CALLS];    /* by system call number */
};

/* An input. `result` is the return value of the call, with an error as -errno. `bytes` bytes of
 * payload follow, the data that the call wrote to the program's memory, padded to a multiple of 8.
 */
struct tare_system_log_record {
  uint32_t stream; /* from 1; 0: the payload is a tare_system_log_stream */
  uint32_t bytes;
  int64_t result;
};

/* The zero-terminated name follows. */
struct tare_system_log_stream {
  uint32_t kind;
  uint32_t call; /* system call or tare_system_log_instruction */
  uint64_t key;  /* clock, or hash of the name, or 0 */
};

static inline uint64_t tare_system_log_record_bytes(uint32_t payload) {
  const uint64_t bytes = payload;
  return sizeof(struct tare_system_log_record) + ((bytes + 7) & ~UINT64_C(7));
}
