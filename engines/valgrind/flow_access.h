/* flow_access.h: the memory accesses of IR statements, and the words that a flow record needs to
 * describe their addresses. */
#pragma once

#include "core.h"
#include "format/wire.h"

/* One memory access of a statement. */
struct flow_touch {
  Int statement;
  IRExpr* store; /* expression stored to the record's word before the statement; NULL: no store is
                    needed */
  IRExpr* guard; /* if not NULL, the word is 0 when this condition is false */
  struct tare_wire_access access;
  IRExpr* address;
  IRTemp root;    /* the address is this temporary plus `distance`; IRTemp_INVALID: none */
  ULong distance; /* both only if not guarded */
  Bool is_store;
  Bool is_guarded;
  /* Set by flow_filter_group: the index of the group's first access. For that access itself: the
   * range of the group relative to the access, and whether the group has a store. */
  UInt group;
  Bool group_store;
  Long group_begin;
  Long group_end;
};

enum { kMaxTouches = 1024, kUngrouped = kMaxTouches };

struct flow_record {
  UInt words;
  UInt touches;
  Bool too_many; /* more than kMaxTouches accesses: the list is incomplete */
  struct flow_touch touch[kMaxTouches];
};

/* To be called once per superblock, before flow_plan(). */
void flow_begin_plans(const IRSB* in);

/* Collects the memory accesses of statements [from, to) of a block that starts at `start`. Accesses
 * after an exit that the program survives get a guarded kind: their words stay 0 when the exit is
 * taken. */
void flow_plan(const IRSB* in, Int from, Int to, Addr start, struct flow_record* record);

/* Collects the memory accesses of a whole superblock, as if it had no exits. */
void flow_plan_all(const IRSB* in, struct flow_record* record);

/* Whether the statement is an exit after which the program continues elsewhere; exits that report a
 * fault are not. */
Bool flow_is_way_out(const IRStmt* statement);
