/* emit.h: builders for VEX IR statements, and the per-thread words that the added code uses. */
#pragma once

#include "core.h"

/* Offsets in a thread's first shadow guest state, which the tool uses for nothing else. */
enum {
  kShadowInside = 0, /* 1: inside the region */
  kShadowFrame = 8,
  kShadowReturn = 16,
  kShadowCounters = 24, /* address of the counters */
  kShadowFlow = 32      /* struct flow_words */
};

static inline IRExpr* Number(ULong value) { return IRExpr_Const(IRConst_U64(value)); }

static inline IRExpr* Assign(IRSB* out, IRType type, IRExpr* expression) {
  const IRTemp temporary = newIRTemp(out->tyenv, type);
  addStmtToIRSB(out, IRStmt_WrTmp(temporary, expression));
  return IRExpr_RdTmp(temporary);
}

static inline IRExpr* Binary(IRSB* out, IROp op, IRExpr* a, IRExpr* b) {
  return Assign(out, Ity_I64, IRExpr_Binop(op, a, b));
}

static inline IRExpr* Get(IRSB* out, Int place) {
  return Assign(out, Ity_I64, IRExpr_Get(place, Ity_I64));
}
