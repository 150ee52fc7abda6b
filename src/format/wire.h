/* wire.h: what an engine leaves in shared memory: blocks of code that ran, and how often.
 *
 * The one header that engines and tare have in common; plain C, so that code inside a measured
 * process can include it. A recording is one file per process, mapped by the engine and read by
 * tare afterwards or beside it:
 *
 *   header | records, appended | banks of counters
 *
 * The file is made with its full size at once and is sparse: only what is touched takes memory.
 * Nothing is interpreted by the engine: a block carries its code, and tare decodes it.
 *
 * Records are appended by one thread at a time; `used` is stored, with release order, after the
 * record is whole, so that every prefix that `used` names can be read while or after the engine
 * runs, however it ended. A counter belongs to one bank, and a bank to one thread at a time: no
 * increment is ever lost. docs/formats/wire.md describes it for readers.
 */
#pragma once

#include <stdint.h>

#if defined(__cplusplus)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#endif

#define TARE_WIRE_MAGIC UINT64_C(0x3165726977657274) /* "trewire1" as bytes */
#define TARE_WIRE_VERSION 2u

enum tare_wire_engine {
  TARE_WIRE_VALGRIND = 1,
  TARE_WIRE_QEMU = 2,
  TARE_WIRE_STEP = 3,
  TARE_WIRE_COMPILED = 4 /* leaves no such file: see counters_wire.h */
};

/* The numbers of ELF's e_machine. */
enum tare_wire_architecture { TARE_WIRE_X86_64 = 62, TARE_WIRE_AARCH64 = 183 };

enum tare_wire_state {
  TARE_WIRE_RUNNING = 0, /* not closed: the process runs, or was killed */
  TARE_WIRE_SEALED = 1,  /* the engine saw the process end */
  TARE_WIRE_REPLACED = 2 /* the process became another program by execve */
};

/* Places in the file. */
#define TARE_WIRE_HEADER_BYTES UINT64_C(4096)

struct tare_wire_header {
  uint64_t magic;
  uint32_t version;
  uint32_t engine;
  uint32_t architecture;
  uint32_t state;
  uint64_t process;        /* its id as it sees it itself */
  uint64_t parent_process; /* of a forked process, the one that forked it; 0: not forked */
  uint64_t parent_generation;
  uint64_t generation;    /* how many programs the process was before, by execve */
  uint64_t records_bytes; /* room for records, from TARE_WIRE_HEADER_BYTES on */
  uint64_t used;          /* bytes of records that are whole */
  uint64_t blocks;        /* number of block records among them, inherited ones included */
  uint64_t bank_blocks;   /* room in a bank */
  uint64_t banks;         /* room for banks */
  uint64_t banks_used;
  uint64_t lost_blocks;    /* blocks that found no room: their executions are not counted */
  uint64_t lost_threads;   /* threads that found no bank */
  uint64_t lost_children;  /* child processes whose recording could not be made */
  uint64_t inherited_used; /* records before this place are those of the parent's file */
  uint64_t inherited_blocks;
  uint64_t region_entries; /* how often the region was entered */
  uint64_t threads;        /* threads that ran, the first one included */
  uint64_t has_region;     /* 1: only executions inside the region are counted */
};

enum tare_wire_kind { TARE_WIRE_OBJECT = 1, TARE_WIRE_BLOCK = 2, TARE_WIRE_FLOW = 3 };

/* Every record starts so; `size` counts the whole record and is a multiple of 8. */
struct tare_wire_record {
  uint32_t kind;
  uint32_t size;
};

/* A file mapped with code in it, or code without a file (an empty path). The path follows,
 * terminated by a zero. Blocks of it come later in the records than it does. */
struct tare_wire_object {
  struct tare_wire_record record;
  uint64_t start;
  uint64_t end;
  uint64_t offset; /* of `start` in the file */
  uint64_t device;
  uint64_t inode;
};

enum tare_wire_block_flags {
  /* The last instruction is a conditional branch: the second counter tells how often control
   * went on to the next instruction. */
  TARE_WIRE_CONDITIONAL = 1,
  /* The one instruction is repeated by a prefix: the first counter tells how often it was
   * reached, the second how often its operation was done. */
  TARE_WIRE_REPEATED = 2
};

/* Code that runs from its first instruction to its last, or, at a fault, not quite. Its code
 * follows. The n-th block record owns the n-th pair of counters of each bank. */
struct tare_wire_block {
  struct tare_wire_record record;
  uint64_t address;
  uint32_t code_bytes;
  uint32_t instructions;
  uint32_t flags;
  uint32_t reserved;
};

/* What a record of the flow tells (flow_wire.h): the n-th such description is of the records with
 * number n + 1. Comes after its block; its accesses follow. */
struct tare_wire_flow {
  struct tare_wire_record record;
  uint64_t block;     /* number of the block record */
  uint32_t operation; /* of a repeated instruction: 0: it was come to; 1: its operation is done */
  uint16_t words;     /* of a record of the flow, the first one included */
  uint16_t accesses;
};

struct tare_wire_access {
  uint64_t offset; /* added to the word */
  uint32_t bytes;
  uint32_t code_offset; /* of the instruction, from the block's start */
  uint16_t word;        /* of the record; 0: none, the offset is the address */
  uint16_t kind;        /* tare_flow_kind */
  uint32_t reserved;
};

struct tare_wire_counters {
  uint64_t executions;
  uint64_t second;
};

/* Where a bank begins in the file. */
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
