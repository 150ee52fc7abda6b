/* counting.h: instrumentation that counts how often each block of a superblock is executed. */
#pragma once

#include "blocks.h"
#include "core.h"

void counting_start_thread(ThreadId thread);

IRSB* counting_instrument(VgCallbackClosure* closure, IRSB* in, const VexGuestLayout* layout,
                          const VexGuestExtents* extents, const VexArchInfo* host,
                          IRType guest_word, IRType host_word);

/* A block of code that flow_code_instrument() has instrumented. */
struct recorded_block {
  ULong number;              /* in the recording, or TARE_WIRE_NO_BLOCK */
  enum repeated_start start; /* of a repeated instruction */
};

/* The same for such code. `blocks` are its blocks in order. */
IRSB* counting_add(IRSB* in, const VexGuestLayout* layout, const VexGuestExtents* extents,
                   const struct recorded_block* blocks);
