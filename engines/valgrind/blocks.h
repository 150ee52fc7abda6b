/* blocks.h: how a superblock falls into blocks that run from their first instruction to their last.
 */
#pragma once

#include "core.h"

struct block_span {
  Addr start;
  UInt bytes;
  UInt instructions;
  UInt flags; /* tare_wire_block_flags */
  Int past;   /* the statement at which it is over: a branch's exit, or the next block's mark */
};

/* The block that begins at the mark `first`: up to the next branch, repeated instruction, or start
 * of the region. */
struct block_span blocks_span(const IRSB* in, Int first, Addr region_start);

/* Of an instruction, by its mark. */
Bool blocks_is_repeated(const IRStmt* mark);
Bool blocks_is_conditional(const IRStmt* mark);

/* An exit that the program's own branch or repetition makes. Others report a fault, or try an
 * atomic operation again. */
Bool blocks_is_branch(const IRStmt* statement, const IRStmt* mark);

/* What stands first in the code of a repeated instruction: the test for none or the operation.
 * Where the optimiser knows that there is nothing to do, it leaves neither. */
enum repeated_start { kTest, kOperation, kNothing };
enum repeated_start blocks_repeated_start(const IRSB* in, Int mark);

/* Whether control runs off the end of the superblock to this address. */
Bool blocks_goes_to(const IRSB* in, Addr address);
