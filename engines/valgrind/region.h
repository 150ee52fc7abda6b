/* region.h: tracks per thread whether it is inside the region, the dynamic extent of one
 * function. */
#pragma once

#include "core.h"

/* Start of the region: an offset in a file. Inode 0: no region, the whole program is counted. */
struct region {
  ULong device;
  ULong inode;
  ULong offset;
};

void region_set(const struct region* region);
Bool region_is_set(void);

/* A new thread is inside if its creator is. It has no frame of the region, so it never leaves. */
void region_start_thread(ThreadId thread);

/* Returns the address of the region's first instruction if the mapping that contains `address` has
 * it; 0 if not. */
Addr region_start_near(Addr address);

/* Emit the code for the region's first instruction, and for a superblock that ends in a return. */
void region_add_entry(IRSB* out, const VexGuestLayout* layout);
void region_add_return(IRSB* out, const VexGuestLayout* layout, IRExpr* next);
