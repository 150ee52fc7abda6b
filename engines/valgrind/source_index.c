/* source_index.c: a hash table with open addressing and a maximum load of one half. */
#include "source_index.h"

static UInt FirstSlot(const struct system_log_source* source) {
  ULong mixed = source->key ^ ((ULong)source->call << 8) ^ source->kind;
  mixed *= 0x9e3779b97f4a7c15ULL;
  return (UInt)(mixed >> 40) % kSourceSlots;
}

static Bool Same(const struct system_log_source* a, const struct system_log_source* b) {
  return a->kind == b->kind && a->call == b->call && a->key == b->key;
}

UInt source_find(const struct source_index* index, const struct system_log_source* source) {
  UInt slot = FirstSlot(source);
  while (index->slots[slot] != 0) {
    if (Same(&index->sources[index->slots[slot] - 1], source)) return index->slots[slot];
    slot = (slot + 1) % kSourceSlots;
  }
  return 0;
}

UInt source_add(struct source_index* index, const struct system_log_source* source) {
  if (index->used == TARE_SYSTEM_LOG_STREAMS) return 0;
  UInt slot = FirstSlot(source);
  while (index->slots[slot] != 0) slot = (slot + 1) % kSourceSlots;
  index->sources[index->used] = *source;
  index->slots[slot] = (UShort)++index->used;
  return index->used;
}
