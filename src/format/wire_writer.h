/* wire_writer.h: fills a mapped recording, without system calls and without a C library.
 *
 * The engine creates a file of tare_wire_file_bytes(), maps it shared, and calls tare_wire_begin().
 * The caller must hold its own lock to append records, but needs none to add to its bank's
 * counters. */
#pragma once

#include "format/wire.h"

#if defined(__cplusplus)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#endif

/* Space for records and blocks. The file is sparse, so this is address space, not memory. */
#define TARE_WIRE_RECORDS_BYTES (UINT64_C(1) << 30)
#define TARE_WIRE_BANK_BLOCKS (UINT64_C(1) << 22)

#define TARE_WIRE_NO_BLOCK UINT64_MAX

struct tare_wire_writer {
  uint8_t* base;  /* start of the whole mapping */
  uint64_t flows; /* number of flow records, including the parent's */
};

static inline struct tare_wire_header* tare_wire_head(const struct tare_wire_writer* writer) {
  return (struct tare_wire_header*)(void*)writer->base;
}

/* The sizes of a new recording, for code that needs them before it is mapped. */
static inline struct tare_wire_header tare_wire_plan(uint64_t banks) {
  struct tare_wire_header plan = {};
  plan.records_bytes = TARE_WIRE_RECORDS_BYTES;
  plan.bank_blocks = TARE_WIRE_BANK_BLOCKS;
  plan.banks = banks;
  return plan;
}

static inline void tare_wire_begin(struct tare_wire_writer* writer, uint8_t* base,
                                   const struct tare_wire_header* start) {
  struct tare_wire_header* header = (struct tare_wire_header*)(void*)base;
  writer->base = base;
  *header = *start;
  header->version = TARE_WIRE_VERSION;
  header->state = TARE_WIRE_RUNNING;
  /* The magic is stored last: a file without it is not initialized. */
  __atomic_store_n(&header->magic, TARE_WIRE_MAGIC, __ATOMIC_RELEASE);
}

/* The header of a forked child's own recording: it continues the parent's records, with counters at
 * 0. */
static inline struct tare_wire_header tare_wire_inherit(const struct tare_wire_header* parent,
                                                        uint64_t process) {
  struct tare_wire_header child = *parent;
  child.magic = 0;
  child.parent_process = parent->process;
  child.parent_generation = parent->generation;
  child.process = process;
  child.inherited_used = parent->used;
  child.inherited_blocks = parent->blocks;
  child.lost_blocks = child.lost_threads = child.lost_children = 0;
  child.region_entries = 0;
  child.partial_transfers = child.partial_squares = 0;
  child.threads = 1;
  child.banks_used = 0;
  return child;
}

/* A read or write that returned. */
static inline void tare_wire_add_transfer(struct tare_wire_header* header, uint64_t requested,
                                          int64_t moved) {
  if (moved <= 0 || (uint64_t)moved >= requested) return;
  __atomic_fetch_add(&header->partial_transfers, 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(&header->partial_squares, (uint64_t)moved * (uint64_t)moved, __ATOMIC_RELAXED);
}

static inline struct tare_wire_counters* tare_wire_bank(const struct tare_wire_writer* writer,
                                                        uint64_t bank) {
  return (struct tare_wire_counters*)(void*)(writer->base +
                                             tare_wire_bank_place(tare_wire_head(writer), bank));
}

/* Not memcpy, because an engine may run without a C library. */
static inline void tare_wire_copy(uint8_t* to, const uint8_t* from, uint64_t bytes) {
  for (uint64_t i = 0; i < bytes; ++i) to[i] = from[i];
}

/* Returns space for a record with `extra` bytes after its fixed part, or NULL. */
static inline uint8_t* tare_wire_room(const struct tare_wire_writer* writer, uint64_t fixed,
                                      uint64_t extra, uint64_t* size) {
  const struct tare_wire_header* header = tare_wire_head(writer);
  *size = (fixed + extra + 7) & ~UINT64_C(7);
  if (header->used + *size > header->records_bytes) return 0;
  return writer->base + TARE_WIRE_HEADER_BYTES + header->used;
}

/* Returns 1, or 0 if there is no room. `path` must be zero-terminated. */
static inline int tare_wire_add_object(const struct tare_wire_writer* writer,
                                       const struct tare_wire_object* object, const char* path) {
  struct tare_wire_header* header = tare_wire_head(writer);
  uint64_t length = 0;
  uint64_t size = 0;
  while (path[length] != 0) ++length;
  uint8_t* place = tare_wire_room(writer, sizeof *object, length + 1, &size);
  if (place == 0) return 0;
  struct tare_wire_object* to = (struct tare_wire_object*)(void*)place;
  *to = *object;
  to->record.kind = TARE_WIRE_OBJECT;
  to->record.size = (uint32_t)size;
  tare_wire_copy(place + sizeof *object, (const uint8_t*)path, length + 1);
  __atomic_store_n(&header->used, header->used + size, __ATOMIC_RELEASE);
  return 1;
}

/* Returns the number of the new block, or TARE_WIRE_NO_BLOCK if there is no room (counted as lost).
 */
static inline uint64_t tare_wire_add_block(const struct tare_wire_writer* writer,
                                           const struct tare_wire_block* block,
                                           const uint8_t* code) {
  struct tare_wire_header* header = tare_wire_head(writer);
  uint64_t size = 0;
  uint8_t* place = tare_wire_room(writer, sizeof *block, block->code_bytes, &size);
  if (place == 0 || header->blocks >= header->bank_blocks) {
    ++header->lost_blocks;
    return TARE_WIRE_NO_BLOCK;
  }
  struct tare_wire_block* to = (struct tare_wire_block*)(void*)place;
  *to = *block;
  to->record.kind = TARE_WIRE_BLOCK;
  to->record.size = (uint32_t)size;
  tare_wire_copy(place + sizeof *block, code, block->code_bytes);
  const uint64_t index = header->blocks;
  header->blocks = index + 1;
  __atomic_store_n(&header->used, header->used + size, __ATOMIC_RELEASE);
  return index;
}

/* Adds a description of the flow's records. Returns their number, from 1, or 0 if there is no room.
 */
static inline uint64_t tare_wire_add_flow(struct tare_wire_writer* writer,
                                          const struct tare_wire_flow* flow,
                                          const struct tare_wire_access* accesses) {
  struct tare_wire_header* header = tare_wire_head(writer);
  const uint64_t extra = flow->accesses * (uint64_t)sizeof *accesses;
  uint64_t size = 0;
  uint8_t* place = tare_wire_room(writer, sizeof *flow, extra, &size);
  if (place == 0) return 0;
  struct tare_wire_flow* to = (struct tare_wire_flow*)(void*)place;
  *to = *flow;
  to->record.kind = TARE_WIRE_FLOW;
  to->record.size = (uint32_t)size;
  tare_wire_copy(place + sizeof *flow, (const uint8_t*)accesses, extra);
  __atomic_store_n(&header->used, header->used + size, __ATOMIC_RELEASE);
  return ++writer->flows;
}

#if defined(__cplusplus)
#pragma GCC diagnostic pop
#endif
