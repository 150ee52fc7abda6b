/* source_index.h: a hash table from the source of a system input to its stream in a system log. */
#pragma once

#include "system_log.h"

enum { kSourceSlots = 8192 };

/* Stream numbers, from 1, by source; capacity TARE_SYSTEM_LOG_STREAMS. All zero: empty. */
struct source_index {
  UInt used;
  struct system_log_source sources[TARE_SYSTEM_LOG_STREAMS];
  UShort slots[kSourceSlots];
};

/* Returns the stream's number; 0 when the source is unknown. */
UInt source_find(const struct source_index* index, const struct system_log_source* source);

/* Returns the new stream's number; 0 when there is no room. */
UInt source_add(struct source_index* index, const struct system_log_source* source);
