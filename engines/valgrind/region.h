/* region.h: the dynamic extent of a function, in and out of which each thread goes. */
#pragma once

#include "core.h"

/* Where the region begins: an offset in a file. No file: the whole program is counted. */
struct region {
  ULong device;
  ULong inode;
  ULong offset;
};

void region_set(const struct region* region);
Bool region_is_set(void);

/* A new thread is inside when its creator was; it has no frame to leave. */
void region_start_thread(ThreadId thread);

/* Its first instruction where the mapping that holds `address` has it; 0: not there. */
Addr region_start_near(Addr address);

/* Added at the region's first instruction, and where a superblock returns. */
void region_add_entry(IRSB* out, const VexGuestLayout* layout);
void region_add_return(IRSB* out, const VexGuestLayout* layout, IRExpr* next);
