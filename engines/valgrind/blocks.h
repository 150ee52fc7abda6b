/* blocks.h: splits a superblock into blocks that execute from first to last instruction. */
#pragma once

#include "core.h"

struct block_span {
  Addr start;
  UInt bytes;
  UInt instructions;
  UInt flags; /* tare_wire_block_flags */
  Int past;   /* index of the first statement after the block: a branch's exit or the next IMark */
};

/* Returns the block that starts at statement `first`, which must be an IMark. It ends at the next
 * branch, repeated instruction, or start of the region. */
struct block_span blocks_span(const IRSB* in, Int first, Addr region_start);

/* Properties of the instruction that `mark` (an IMark) introduces. */
Bool blocks_is_repeated(const IRStmt* mark);
Bool blocks_is_conditional(const IRStmt* mark);

/* Whether `statement` is an exit made by the program's own branch or repeated instruction. Other
 * exits report a fault or retry an atomic operation. */
Bool blocks_is_branch(const IRStmt* statement, const IRStmt* mark);

/* What comes first in the code of a repeated instruction: the test for a zero count, or the
 * operation. VEX's optimiser removes both where it can prove that there is nothing to do. */
enum repeated_start { kTest, kOperation, kNothing };
enum repeated_start blocks_repeated_start(const IRSB* in, Int mark);

/* Whether the superblock's final jump has the constant destination `address`. */
Bool blocks_goes_to(const IRSB* in, Addr address);
