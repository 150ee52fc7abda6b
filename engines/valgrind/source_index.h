/* source_index.h: finds the stream of a source. */
#pragma once

#include "system_log.h"

enum { kSourceSlots = 8192 };

/* Numbers of streams, from 1, by source; room for TARE_SYSTEM_LOG_STREAMS. All zero: empty. */
struct source_index {
  UInt used;
  struct system_log_source sources[TARE_SYSTEM_LOG_STREAMS];
  UShort slots[kSourceSlots];
};

/* 0 when it is not there. */
UInt source_find(const struct source_index* index, const struct system_log_source* source);

/* The number of the new stream; 0 when there is no room. */
UInt source_add(struct source_index* index, const struct system_log_source* source);
