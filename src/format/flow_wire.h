/* flow_wire.h: the blocks that a program executes under Valgrind or QEMU, and under Valgrind the
 * addresses it accesses, in order.
 *
 * Plain C, included by the engine and by tare. A flow consists of 64-bit words; there is one flow
 * per process, in which its threads alternate. Each execution of a block writes a record: the
 * number of a description plus 1, then as many words as the description says. The descriptions are
 * in the recording of the same process (wire.h). A constant address, or an address at a constant
 * distance from a word of the same record, is only in the description.
 *
 * With a filter, a record whose data accesses all repeat the last use of their line and of their
 * page is a single word with TARE_FLOW_UNCHANGED. A sparse flow has records in windows only.
 * Between them a block leaves nothing but the lines of chosen groups that it uses and that do not
 * repeat.
 *
 * Words are written to chunks of TARE_FLOW_CHUNK bytes. In addresses inside a chunk the bit of that
 * value is clear, in the first address after it the bit is set, so that one bit test detects the
 * end. Each chunk is followed by the same amount of space, into which the last superblock may
 * extend, so that no record is split between two chunks. docs/formats/flow.md documents the format.
 */
#pragma once

#include <stdint.h>

#define TARE_FLOW_MAGIC UINT64_C(0x31776f6c66657274) /* the bytes "treflow1" */
#define TARE_FLOW_VERSION 3u
#define TARE_FLOW_CHUNK UINT64_C(65536)
#define TARE_FLOW_MAX_CHUNKS 64u
/* The maximum number of words per record. */
#define TARE_FLOW_RECORD_WORDS 2048u

/* The file "flow.PROCESS.GENERATION" in the run's directory, next to the recording
 * "PROCESS.GENERATION". */
#define TARE_FLOW_FILE "flow"

/* The first word of a record: a number in the lower 30 bits, and these flags. */
#define TARE_FLOW_NUMBER UINT64_C(0x3fffffff)
#define TARE_FLOW_UNCHANGED                                                                     \
  (UINT64_C(1) << 30) /* the filter dropped the accesses: there are no more words; never set if \
                       * there is no filter */
#define TARE_FLOW_LINES                                                                         \
  (UINT64_C(1) << 31) /* in a sparse flow, between windows: lines that the block used; from bit \
                       * TARE_FLOW_LINES_SHIFT on the number of words that follow, one per line */
#define TARE_FLOW_INSIDE \
  (UINT64_C(1) << 32) /* the thread is inside the region; never set if there is no region */
#define TARE_FLOW_LINES_SHIFT 33u
#define TARE_FLOW_MAX_LINE_WORDS 512u
/* In the word of a line, whose address is a multiple of 8: */
#define TARE_FLOW_LINE_STORE UINT64_C(1)   /* stored to */
#define TARE_FLOW_LINE_FURTHER UINT64_C(2) /* of an access that began in the line before */
#define TARE_FLOW_MARK (UINT64_C(1) << 63) /* not a block: the number is a tare_flow_mark */

/* Records of two words. */
enum tare_flow_mark {
  TARE_FLOW_THREAD = 1, /* the following records belong to the thread with this number */
  TARE_FLOW_SIGNAL = 2, /* a handler starts; the thread would continue at this address */
  TARE_FLOW_SAMPLE = 3, /* this many instructions since the start, or slightly more; the program
                         * waits until this chunk has been taken */
  TARE_FLOW_BURST = 4   /* 1: from here on the filter drops nothing; 0: it does again. In a sparse
                         * flow: a window begins or ends */
};

/* The filter keeps a table of lines and a table of pages. An access drops out if the line that it
 * uses is the one used last in its entry of the table, the page likewise, and a store finds the
 * line dirty. A record drops its accesses if all of them drop out. docs/formats/flow.md defines it
 * exactly. All numbers of entries are powers of two. */
struct tare_flow_filter {
  uint32_t line_shift;   /* lines have 1 << line_shift bytes, at least 8 */
  uint32_t index_shift;  /* an address uses entry (address >> index_shift) modulo `entries` */
  uint32_t entries;      /* of the table of lines; 0: no filter */
  uint32_t page_shift;   /* pages have 1 << page_shift bytes */
  uint32_t page_entries; /* of the table of pages, indexed by page number; 0: pages do not matter */
  uint32_t dirty;        /* 1: a store drops out only if the line was stored to since its last
                          * change of entry; 0: stores are treated as loads */
  uint64_t groups;       /* 0: the flow has records of all blocks. Otherwise it is sparse, and these
                          * entries of the table of lines, a bit each, are looked at */
};
#define TARE_FLOW_MAX_LINES 4096u
#define TARE_FLOW_MAX_PAGES 256u

enum tare_flow_kind {
  TARE_FLOW_LOAD = 1,
  TARE_FLOW_STORE = 2,
  TARE_FLOW_GUARDED_LOAD = 3, /* has its own word and no offset; 0: not executed */
  TARE_FLOW_GUARDED_STORE = 4
};

/* Bytes of the file that the engine and the reader lock (F_OFD_SETLK, F_WRLCK) while they are
 * alive. The kernel releases a lock when its process ends for any reason, and locks work across PID
 * namespaces. */
enum tare_flow_lock { TARE_FLOW_LOCK_ENGINE = 0, TARE_FLOW_LOCK_READER = 1 };

/* The file of one process, mapped by the engine and its reader. Chunk i is at first_at + 2 *
 * TARE_FLOW_CHUNK * i. The engine fills chunk `written` modulo `chunks` and hands it over with its
 * number of words. A waiting side sets its flag, checks again, and sleeps on the other side's
 * counter; the side that increments the counter checks the flag afterwards. */
struct tare_flow_header {
  uint64_t magic; /* stored last */
  uint32_t version;
  uint32_t architecture; /* e_machine of ELF */
  uint64_t process;
  uint64_t generation;
  uint64_t first_at;
  uint64_t chunks;
  uint64_t cut_short; /* 1: the reader was gone, and the rest was discarded */
  uint32_t written;   /* chunks handed over; wraps around */
  uint32_t taken;     /* by the reader; the engine waits on it while all chunks are full */
  uint32_t reader;    /* PID of the reader in its own PID namespace; 0: none yet */
  uint32_t ended;     /* 1: the last chunk has been handed over */
  uint32_t chunk_words[TARE_FLOW_MAX_CHUNKS];
  uint32_t reader_waits; /* 1: the reader sleeps on `written` */
  uint32_t engine_waits; /* 1: the engine sleeps on `taken` until it reaches `engine_wakes` */
  uint32_t engine_wakes;
  uint32_t filled; /* words of the chunk that is being filled that can be read already; 0 if the
                    * engine does not say */
  struct tare_flow_filter filter;
  uint64_t buffers_at; /* of tare_flow_buffer */
  uint64_t buffers;    /* used so far; 0 under Valgrind */
};

/* The words of a thread that are not in a chunk yet. The engine copies them to a chunk, sets `used`
 * to 0, and then makes them part of the chunk. If the process is killed, they are its last ones. */
#define TARE_FLOW_BUFFER_WORDS 2046u
struct tare_flow_buffer {
  uint64_t thread;
  uint64_t used;
  uint64_t words[TARE_FLOW_BUFFER_WORDS];
};
