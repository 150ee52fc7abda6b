/* counting.h: what is added to the translation of a superblock. */
#pragma once

#include "core.h"

/* Where the region begins: an offset in a file. No file: the whole program is counted. */
struct region {
  ULong device;
  ULong inode;
  ULong offset;
};

void counting_set_region(const struct region* region);

/* A new thread is inside when its creator was; it has no frame to leave. */
void counting_start_thread(ThreadId thread);

IRSB* counting_instrument(VgCallbackClosure* closure, IRSB* in, const VexGuestLayout* layout,
                          const VexGuestExtents* extents, const VexArchInfo* host,
                          IRType guest_word, IRType host_word);
