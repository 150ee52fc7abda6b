/* flow_code.c: adds inline code that writes a record per block; the free room is checked once per
 * superblock. */
#include "flow_code.h"

#include <stddef.h>

#include "blocks.h"
#include "counting.h"
#include "emit.h"
#include "flow.h"
#include "flow_access.h"
#include "flow_filter.h"
#include "flow_sparse.h"
#include "format/flow_wire.h"
#include "recording.h"
#include "region.h"
#include "system_input.h"

static Bool samples;

enum {
  kPlaceCursor = kShadowFlow + offsetof(struct flow_words, cursor),
  kPlaceLeft = kShadowFlow + offsetof(struct flow_words, left),
  kPlaceFull = kShadowFlow + offsetof(struct flow_words, full)
};

void flow_code_set_samples(Bool wanted) { samples = wanted; }

/* State of the superblock under construction. */
struct building {
  IRSB* out;
  const IRSB* in;
  const VexGuestLayout* layout;
  Int shadow;        /* offset of the first shadow state from the guest state */
  Addr region_start; /* 0: not in this mapping */
  IRExpr* base;      /* address of a word of the superblock; NULL: no block yet */
  UInt used;         /* words planned so far from there on */
  UInt put;          /* those that the stored cursor includes */
  UInt most;         /* maximum number of words in the superblock so far */
  Addr repeated;     /* address of the current repeated instruction; 0: not repeated */
  /* Of the blocks so far, in a sparse flow, which counts their executions. A superblock has at most
   * 100 instructions, which VEX may unroll. */
  UInt blocks;
  struct recorded_block recorded[1024];
  struct flow_record record;
};

static IRExpr* Bit(IRSB* out, IRExpr* condition) {
  return Assign(out, Ity_I64, IRExpr_Unop(Iop_1Uto64, condition));
}

/* Computes the sum again for each store: VEX folds a value with a single use into the
 * instruction. */
static IRExpr* PlaceOf(const struct building* b, UInt word) {
  return word == 0 ? b->base : Binary(b->out, Iop_Add64, b->base, Number(8 * (ULong)word));
}

static void StoreWord(const struct building* b, UInt word, IRExpr* value) {
  addStmtToIRSB(b->out, IRStmt_Store(Iend_LE, PlaceOf(b, word), value));
}

/* In a sparse flow the cursor stays where it is. */
static void PutCursor(struct building* b, UInt words) {
  if (words == b->put || flow_is_sparse()) return;
  addStmtToIRSB(b->out, IRStmt_Put(b->shadow + kPlaceCursor, PlaceOf(b, words)));
  b->put = words;
}

static void BeginSparseSuperblock(struct building* b) {
  flow_sparse_begin_superblock(b->in);
  b->base = Get(b->out, b->shadow + kPlaceCursor);
}

/* Publishes a full chunk and takes a due sample. The call is rare, so it has neither arguments nor
 * a result that would cost registers. */
static void BeginSuperblock(struct building* b) {
  IRSB* out = b->out;
  IRExpr* cursor = Get(out, b->shadow + kPlaceCursor);
  IRExpr* attend = Binary(out, Iop_And64, cursor, Number(TARE_FLOW_CHUNK));
  if (samples) {
    IRExpr* left = Get(out, b->shadow + kPlaceLeft);
    IRExpr* sign =
        Assign(out, Ity_I64, IRExpr_Binop(Iop_Shr64, left, IRExpr_Const(IRConst_U8(63))));
    attend = Binary(out, Iop_Or64, attend, sign);
  }
  IRDirty* call =
      unsafeIRDirty_0_N(0, "flow_attend", VG_(fnptr_to_fnentry)(&flow_attend), mkIRExprVec_0());
  call->guard = Assign(out, Ity_I1, IRExpr_Unop(Iop_CmpNEZ64, attend));
  call->nFxState = 1;
  VG_(memset)(&call->fxState[0], 0, sizeof call->fxState[0]);
  call->fxState[0].fx = Ifx_Modify;
  call->fxState[0].offset = (UShort)(b->shadow + kShadowFlow);
  call->fxState[0].size = sizeof(struct flow_words);
  addStmtToIRSB(out, IRStmt_Dirty(call));
  b->base = Get(out, b->shadow + kPlaceCursor);
}

static void CountDown(const struct building* b, IRExpr* instructions) {
  if (!samples) return;
  IRExpr* left = Get(b->out, b->shadow + kPlaceLeft);
  addStmtToIRSB(b->out,
                IRStmt_Put(b->shadow + kPlaceLeft, Binary(b->out, Iop_Sub64, left, instructions)));
}

/* Whether the exit is a repeated instruction's jump back to itself. Each start counts one
 * instruction; the jump back takes one off, so that only arrivals count. */
static Bool JumpsBack(const struct building* b, const IRStmt* statement) {
  return b->repeated != 0 && statement->tag == Ist_Exit &&
         statement->Ist.Exit.dst->Ico.U64 == b->repeated;
}

static void Uncount(const struct building* b, IRExpr* instructions) {
  if (samples) CountDown(b, Binary(b->out, Iop_Sub64, Number(0), instructions));
}

static IRExpr* FirstWord(const struct building* b, ULong number) {
  if (!region_is_set()) return Number(number);
  enum { kInsideBit = 32 };
  IRExpr* inside = Get(b->out, b->shadow + kShadowInside);
  IRExpr* shifted = Assign(b->out, Ity_I64,
                           IRExpr_Binop(Iop_Shl64, inside, IRExpr_Const(IRConst_U8(kInsideBit))));
  return Binary(b->out, Iop_Or64, shifted, Number(number));
}

static void StoreTouches(const struct building* b, Int statement) {
  for (UInt i = 0; i < b->record.touches; ++i) {
    const struct flow_touch* touch = &b->record.touch[i];
    if (touch->statement != statement || touch->store == NULL) continue;
    IRExpr* value = touch->store;
    if (touch->guard != NULL) {
      value = Assign(b->out, Ity_I64, IRExpr_ITE(touch->guard, value, Number(0)));
    }
    StoreWord(b, b->used + touch->access.word, value);
  }
}

/* Before an exit in the middle of a block: clears the words of later accesses. They stay 0 if the
 * exit is taken, and are overwritten if it is not. */
static void LeaveRestOpen(struct building* b, Int statement) {
  for (UInt i = 0; i < b->record.touches; ++i) {
    const struct flow_touch* touch = &b->record.touch[i];
    if (touch->statement > statement && touch->store != NULL) {
      StoreWord(b, b->used + touch->access.word, Number(0));
    }
  }
  PutCursor(b, b->used + b->record.words);
}

static void CopyStatement(const struct building* b, IRStmt* statement) {
  if (statement->tag == Ist_NoOp) return;
  if (statement->tag == Ist_Dirty) system_input_redirect(statement->Ist.Dirty.details);
  addStmtToIRSB(b->out, statement);
}

/* Returns the number of the planned record's description; 0: no record will be written. */
static ULong Describe(struct building* b, ULong block, UInt operation) {
  struct flow_record* record = &b->record;
  ULong number = 0;
  if (block != TARE_WIRE_NO_BLOCK) {
    const Bool fits = !record->too_many && b->most + record->words <= kMaxSuperblockWords;
    if (fits) number = recording_add_flow(block, operation, record);
    if (number == 0) ++recording_header()->lost_blocks;
  }
  if (number == 0) record->words = record->touches = 0;
  b->most += record->words;
  return number;
}

/* How the filter treats a record. */
enum filtering {
  kNotFiltered, /* no accesses, or no filter */
  kFiltered,    /* no guarded accesses: their words may be dropped */
  kWhole        /* nothing is dropped */
};

static enum filtering FilteringOf(const struct flow_record* record) {
  if (flow_filter()->entries == 0 || record->touches == 0) return kNotFiltered;
  for (UInt i = 0; i < record->touches; ++i) {
    if (record->touch[i].is_guarded) return kWhole;
  }
  return kFiltered;
}

/* Returns the first exit of statements [from, to); `to` if there is none. Accesses after it are
 * guarded. */
static Int WayOutOf(const IRSB* in, Int from, Int to) {
  while (from < to && !flow_is_way_out(in->stmts[from])) ++from;
  return from;
}

/* Ends a record whose words may be dropped. The following words start at an address that is known
 * only when the code runs. */
static void EndFiltered(struct building* b, ULong number, const struct flow_check* check,
                        const struct flow_examined* examined) {
  StoreWord(b, b->used, FirstWord(b, number | TARE_FLOW_UNCHANGED));
  PutCursor(b, b->used + 1);
  flow_filter_add_end(b->out, b->shadow, check, examined);
  b->base = Get(b->out, b->shadow + kPlaceCursor);
  b->used = b->put = 0;
}

/* Adds the call that ends a record; `exit`: before this exit in its middle. NULL: at its end. */
static void EndSparse(struct building* b, ULong number, enum filtering filtering,
                      const struct flow_sparse_record* record, const IRStmt* exit) {
  if (filtering == kWhole) {
    flow_sparse_add_whole(b->out, exit != NULL ? exit->Ist.Exit.guard : NULL, record);
  } else if (filtering == kFiltered) {
    flow_sparse_add_end(b->out, record);
  } else if (number != 0) {
    flow_sparse_add_without_accesses(b->out, Get(b->out, b->shadow + kPlaceFull), number);
  }
}

/* Copies statements [from, to) and adds a record of their accesses. `block` is the block's number;
 * TARE_WIRE_NO_BLOCK: the block found no room, so no record is written. */
static void AddSparseRecord(struct building* b, ULong number, Int from, Int to) {
  const enum filtering filtering = FilteringOf(&b->record);
  const Int end = WayOutOf(b->in, from, to);
  const struct flow_sparse_record* record = NULL;
  if (filtering != kNotFiltered) record = flow_sparse_describe(&b->record, number);
  if (filtering == kFiltered) flow_sparse_begin_record(&b->record);
  for (Int i = from; i < to; ++i) {
    IRStmt* statement = b->in->stmts[i];
    StoreTouches(b, i);
    if (filtering == kFiltered) flow_sparse_add_checks(b->out, &b->record, i);
    if (flow_is_way_out(statement)) {
      LeaveRestOpen(b, i);
      if (i == end || filtering == kWhole) EndSparse(b, number, filtering, record, statement);
    }
    CopyStatement(b, statement);
  }
  if (end == to || filtering == kWhole) EndSparse(b, number, filtering, record, NULL);
}

static void AddRecord(struct building* b, ULong block, UInt operation, Addr start, Int from,
                      Int to) {
  flow_plan(b->in, from, to, start, &b->record);
  const ULong number = Describe(b, block, operation);
  if (flow_is_sparse()) {
    AddSparseRecord(b, number, from, to);
    return;
  }
  const enum filtering filtering = FilteringOf(&b->record);
  const Int end = WayOutOf(b->in, from, to);
  struct flow_check check = {NULL, NULL, NULL, False};
  const struct flow_examined* examined = NULL;
  if (filtering != kNotFiltered) examined = flow_filter_describe(&b->record);
  if (filtering == kFiltered) flow_filter_group(&b->record);
  PutCursor(b, b->used); /* if the following code faults, the previous record is complete */
  if (number != 0 && filtering != kFiltered) StoreWord(b, b->used, FirstWord(b, number));
  for (Int i = from; i < to; ++i) {
    IRStmt* statement = b->in->stmts[i];
    StoreTouches(b, i);
    if (filtering == kFiltered) {
      flow_filter_add_checks(b->out, &b->record, i, &check);
      if (i == end) EndFiltered(b, number, &check, examined);
    } else if (flow_is_way_out(statement)) {
      LeaveRestOpen(b, i);
      if (filtering == kWhole) flow_filter_add_update(b->out, b->shadow, examined);
    }
    if (samples && JumpsBack(b, statement)) Uncount(b, Bit(b->out, statement->Ist.Exit.guard));
    CopyStatement(b, statement);
  }
  if (filtering == kFiltered) {
    if (end == to) EndFiltered(b, number, &check, examined);
    return;
  }
  b->used += b->record.words;
  if (filtering == kWhole) {
    PutCursor(b, b->used);
    flow_filter_add_update(b->out, b->shadow, examined);
  }
}

/* Returns the first exit of a repeated instruction, which is its test for a zero count. */
static Int TestOf(const IRSB* in, Int mark) {
  Int i = mark + 1;
  while (!blocks_is_branch(in->stmts[i], in->stmts[mark])) ++i;
  return i;
}

static void AddRepeated(struct building* b, ULong block, Int mark, Int past) {
  const Addr self = b->in->stmts[mark]->Ist.IMark.addr;
  const enum repeated_start begin = blocks_repeated_start(b->in, mark);
  const Int operation = begin == kTest ? TestOf(b->in, mark) + 1 : mark + 1;
  AddRecord(b, block, 0, self, mark + 1, operation);
  AddRecord(b, begin == kNothing ? TARE_WIRE_NO_BLOCK : block, 1, self, operation, past);
  /* The jump back is at the end of the superblock, or between the copies of an unrolled loop. */
  const Bool jumps_back = past < b->in->stmts_used ? b->in->stmts[past]->Ist.IMark.addr == self
                                                   : blocks_goes_to(b->in, self);
  if (jumps_back) Uncount(b, Number(1));
}

/* Adds the block that starts at `mark` and returns the index of the statement after it. */
static Int AddBlock(struct building* b, Int mark) {
  const struct block_span span = blocks_span(b->in, mark, b->region_start);
  addStmtToIRSB(b->out, b->in->stmts[mark]);
  if (b->base == NULL) flow_is_sparse() ? BeginSparseSuperblock(b) : BeginSuperblock(b);
  if (b->region_start != 0 && span.start == b->region_start) region_add_entry(b->out, b->layout);
  const ULong block = recording_add_block(&span);
  struct recorded_block* recorded = &b->recorded[b->blocks++];
  recorded->number = block;
  recorded->start =
      (span.flags & TARE_WIRE_REPEATED) != 0 ? blocks_repeated_start(b->in, mark) : kOperation;
  CountDown(b, Number(span.instructions));
  b->repeated = (span.flags & TARE_WIRE_REPEATED) != 0 ? span.start : 0;
  if (b->repeated != 0) {
    AddRepeated(b, block, mark, span.past);
  } else {
    AddRecord(b, block, 0, span.start, mark + 1, span.past);
  }
  return span.past;
}

IRSB* flow_code_instrument(VgCallbackClosure* closure, IRSB* in, const VexGuestLayout* layout,
                           const VexGuestExtents* extents, const VexArchInfo* host,
                           IRType guest_word, IRType host_word) {
  static struct building b; /* too large for the stack */
  IRSB* out = deepCopyIRSBExceptStmts(in);
  b.out = out;
  b.in = in;
  b.layout = layout;
  b.shadow = layout->total_sizeB;
  b.base = NULL;
  b.used = b.put = b.most = b.blocks = 0;
  recording_object_at(extents->base[0]);
  b.region_start = region_start_near(extents->base[0]);
  flow_begin_plans(in);
  for (Int i = 0; i < in->stmts_used;) {
    IRStmt* statement = in->stmts[i];
    if (statement->tag == Ist_IMark) {
      i = AddBlock(&b, i);
      continue;
    }
    if (statement->tag == Ist_Exit) PutCursor(&b, b.used);
    CopyStatement(&b, statement);
    ++i;
  }
  PutCursor(&b, b.used);
  if (flow_is_sparse()) return counting_add(out, layout, extents, b.recorded);
  if (region_is_set() && in->jumpkind == Ijk_Ret) region_add_return(out, layout, in->next);
  return out;
}
