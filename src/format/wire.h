/* wire.h: an engine's recording in shared memory: blocks of code and how often each ran.
 *
 * The engines and tare share this header. It is plain C, so that code inside a measured process can
 * include it. A recording is one file per process, mapped by the engine and read by tare during or
 * after the run:
 *
 *   header | records, appended | banks of counters
 *
 * The file is created with its full size and is sparse: only pages that are touched need memory.
 * The engine interprets no code: a block contains its code, and tare decodes it.
 *
 * One thread at a time appends records. `used` is stored with release order after a record is
 * complete, so that all records before `used` can be read while the engine runs and afterwards,
 * however it ended. A counter belongs to one bank, and a bank to one thread at a time, so no
 * increment is lost. docs/formats/wire.md documents the format. */
#pragma once

#include <stdint.h>

#if defined(__cplusplus)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#endif

#define TARE_WIRE_MAGIC UINT64_C(0x3165726977657274) /* the bytes "trewire1" */
#define TARE_WIRE_VERSION 3u

enum tare_wire_engine {
  TARE_WIRE_VALGRIND = 1,
  TARE_WIRE_QEMU = 2,
  TARE_WIRE_STEP = 3,
  TARE_WIRE_COMPILED = 4 /* writes no such file: see counters_wire.h */
};

/* Values of e_machine in ELF. */
enum tare_wire_architecture { TARE_WIRE_X86_64 = 62, TARE_WIRE_AARCH64 = 183 };

enum tare_wire_state {
  TARE_WIRE_RUNNING = 0, /* not closed: the process is running, or was killed */
  TARE_WIRE_SEALED = 1,  /* the engine saw the process end */
  TARE_WIRE_REPLACED = 2 /* the process called execve */
};

/* The size of the header, and so the offset of the records. */
#define TARE_WIRE_HEADER_BYTES UINT64_C(4096)

struct tare_wire_header {
  uint64_t magic;
  uint32_t version;
  uint32_t engine;
  uint32_t architecture;
  uint32_t state;
  uint64_t process;        /* PID in its own PID namespace */
  uint64_t parent_process; /* the process that forked this one; 0: not forked */
  uint64_t parent_generation;
  uint64_t generation;    /* number of earlier execve calls of the process */
  uint64_t records_bytes; /* space for records, from TARE_WIRE_HEADER_BYTES on */
  uint64_t used;          /* bytes of complete records */
  uint64_t blocks;        /* number of block records among them, including inherited ones */
  uint64_t bank_blocks;   /* capacity of a bank */
  uint64_t banks;         /* capacity */
  uint64_t banks_used;
  uint64_t lost_blocks;    /* blocks that found no room: their executions are not counted */
  uint64_t lost_threads;   /* threads that found no bank */
  uint64_t lost_children;  /* child processes whose recording could not be created */
  uint64_t inherited_used; /* records before this offset are in the parent's file */
  uint64_t inherited_blocks;
  uint64_t region_entries;    /* how often the region was entered */
  uint64_t threads;           /* threads that ran, including the first */
  uint64_t has_region;        /* 1: only executions inside the region are counted */
  uint64_t sees_transfers;    /* 1: the engine fills the next two, whatever the region */
  uint64_t partial_transfers; /* reads and writes that moved some, but not all bytes asked for */
  uint64_t partial_squares;   /* the sum of the squares of what they moved */
};

enum tare_wire_kind { TARE_WIRE_OBJECT = 1, TARE_WIRE_BLOCK = 2, TARE_WIRE_FLOW = 3 };

/* The start of every record. `size` is the size of the whole record, a multiple of 8. */
struct tare_wire_record {
  uint32_t kind;
  uint32_t size;
};

/* A file mapped with code in it, or code that is not from a file (an empty path). The
 * zero-terminated path follows. The record precedes the blocks of its code. */
struct tare_wire_object {
  struct tare_wire_record record;
  uint64_t start;
  uint64_t end;
  uint64_t offset; /* offset of `start` in the file */
  uint64_t device;
  uint64_t inode;
};

enum tare_wire_block_flags {
  /* The last instruction is a conditional branch: the second counter is the number of times that
   * control continued to the next instruction. */
  TARE_WIRE_CONDITIONAL = 1,
  /* The only instruction has a repeat prefix: the first counter is the number of times that it was
   * reached, the second the number of times that its operation was performed. */
  TARE_WIRE_REPEATED = 2
};

/* Code that runs from its first instruction to its last, unless it faults. The code follows. The
 * n-th block record has the n-th pair of counters in each bank. */
struct tare_wire_block {
  struct tare_wire_record record;
  uint64_t address;
  uint32_t code_bytes;
  uint32_t instructions;
  uint32_t flags;
  uint32_t reserved;
};

/* Describes records of the flow (flow_wire.h): description n, counted from 0, is for the records
 * with number n + 1. It comes after its block, and its accesses follow. */
struct tare_wire_flow {
  struct tare_wire_record record;
  uint64_t block;     /* number of the block record */
  uint32_t operation; /* repeated instruction: 0: reached; 1: operation performed */
  uint16_t words;     /* words per record of the flow, including the first */
  uint16_t accesses;
};

struct tare_wire_access {
  uint64_t offset; /* added to the word */
  uint32_t bytes;
  uint32_t code_offset; /* offset of the instruction from the block's start */
  uint16_t word;        /* index of the word in the record; 0: none, the offset is the address */
  uint16_t kind;        /* tare_flow_kind */
  uint32_t reserved;
};

struct tare_wire_counters {
  uint64_t executions;
  uint64_t second;
};

/* The offset of a bank in the file. */
static inline uint64_t tare_wire_bank_place(const struct tare_wire_header* header, uint64_t bank) {
  return TARE_WIRE_HEADER_BYTES + header->records_bytes +
         bank * header->bank_blocks * (uint64_t)sizeof(struct tare_wire_counters);
}

static inline uint64_t tare_wire_file_bytes(const struct tare_wire_header* header) {
  return tare_wire_bank_place(header, header->banks);
}

#if defined(__cplusplus)
#pragma GCC diagnostic pop
#endif
