/* flow_access.h: the memory that statements touch, and what the flow must hold to tell where. */
#pragma once

#include "core.h"
#include "format/wire.h"

/* One place of the program's memory, as a statement touches it. */
struct flow_touch {
  Int statement;
  IRExpr* store; /* goes into the record's word before the statement; NULL: it is there already */
  IRExpr* guard; /* with it: the word is 0 unless this holds; NULL: it always does */
  struct tare_wire_access access;
};

enum { kMaxTouches = 1024 };

struct flow_record {
  UInt words;
  UInt touches;
  Bool too_many; /* touches: those that are there are not all */
  struct flow_touch touch[kMaxTouches];
};

/* Before the plans of a superblock. */
void flow_begin_plans(const IRSB* in);

/* What the statements from `from` up to `to` touch, those of a block that begins at `start`. Behind
 * an exit that does not end the program the kinds are guarded: there the words may stay 0. */
void flow_plan(const IRSB* in, Int from, Int to, Addr start, struct flow_record* record);

/* An exit from which the program goes on elsewhere, not one that reports a fault. */
Bool flow_is_way_out(const IRStmt* statement);
