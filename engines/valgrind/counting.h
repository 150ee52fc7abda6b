/* counting.h: instrumentation that counts how often each block of a superblock is executed. */
#pragma once

#include "core.h"

void counting_start_thread(ThreadId thread);

IRSB* counting_instrument(VgCallbackClosure* closure, IRSB* in, const VexGuestLayout* layout,
                          const VexGuestExtents* extents, const VexArchInfo* host,
                          IRType guest_word, IRType host_word);

/* The same for code that flow_code_instrument() has instrumented. `numbers` are those of its blocks
 * in the recording, in order. */
IRSB* counting_add(IRSB* in, const VexGuestLayout* layout, const VexGuestExtents* extents,
                   const ULong* numbers);
