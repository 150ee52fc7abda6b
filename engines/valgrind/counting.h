/* counting.h: instrumentation that counts how often each block of a superblock is executed. */
#pragma once

#include "core.h"

void counting_start_thread(ThreadId thread);

IRSB* counting_instrument(VgCallbackClosure* closure, IRSB* in, const VexGuestLayout* layout,
                          const VexGuestExtents* extents, const VexArchInfo* host,
                          IRType guest_word, IRType host_word);
