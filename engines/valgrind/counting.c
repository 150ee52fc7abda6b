/* counting.c: gives each block of a superblock a counter that is added to in line. */
#include "counting.h"

#include "asked.h"
#include "blocks.h"
#include "emit.h"
#include "recording.h"
#include "region.h"

void counting_start_thread(ThreadId thread) {
  const ULong counters = (ULong)recording_counters();
  VG_(set_shadow_regs_area)(thread, 1, kShadowCounters, sizeof counters, (const UChar*)&counters);
}

/* What is being built. */
struct building {
  IRSB* out;
  Int shadow;    /* place of the first shadow state, seen from the guest state */
  Bool in_block; /* with counters; they stand below */
  ULong* executions;
  ULong* second;
  IRExpr* page; /* of the counters, where this superblock's lie; NULL: not yet needed */
  ULong page_offset;
};

/* A counter's address, in the form that both instruction sets have as a mode of addressing: a
 * register and a small number. The register is made once for all counters of the superblock, from a
 * word of the thread's own and a number whose lower bits are 0, which AArch64 adds in one
 * instruction; the whole address as a number would take three instructions at every use. */
static IRExpr* PlaceOf(struct building* b, const ULong* counter) {
  enum { kPageBytes = 4096 };
  const ULong offset = (ULong)counter - (ULong)recording_counters();
  if (b->page == NULL) {
    b->page_offset = offset & ~(ULong)(kPageBytes - 1);
    IRExpr* base = Get(b->out, b->shadow + kShadowCounters);
    b->page = Binary(b->out, Iop_Add64, base, Number(b->page_offset));
  }
  return Binary(b->out, Iop_Add64, b->page, Number(offset - b->page_offset));
}

/* The address is made twice because a value with one use becomes part of the instruction. */
static void AddTo(struct building* b, const ULong* counter, IRExpr* amount) {
  IRExpr* from = PlaceOf(b, counter);
  IRExpr* to = PlaceOf(b, counter);
  IRExpr* before = Assign(b->out, Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, from));
  addStmtToIRSB(b->out, IRStmt_Store(Iend_LE, to, Binary(b->out, Iop_Add64, before, amount)));
}

/* One execution: 1, or in a region's run whether the thread is inside. */
static IRExpr* One(struct building* b) {
  return region_is_set() ? Get(b->out, b->shadow + kShadowInside) : Number(1);
}

/* 1 or 0 as `condition` holds, and 0 outside of the region. */
static IRExpr* OneIf(struct building* b, IRExpr* condition) {
  IRExpr* held = Assign(b->out, Ity_I64, IRExpr_Unop(Iop_1Uto64, condition));
  if (!region_is_set()) return held;
  return Binary(b->out, Iop_And64, held, One(b));
}

static void BeginBlock(struct building* b, const struct block_span* span) {
  const ULong block = recording_add_block(span);
  b->in_block = block != TARE_WIRE_NO_BLOCK;
  if (!b->in_block) return;
  struct tare_wire_counters* counters = recording_counters() + block;
  b->executions = (ULong*)&counters->executions;
  b->second = (ULong*)&counters->second;
  AddTo(b, b->executions, One(b));
}

/* A conditional branch: the second counter tells how often it was not taken. VEX may have turned
 * the condition round, so that the exit is the way to the next instruction. */
static void CountBranch(struct building* b, IRStmt* exit, Addr following) {
  const Bool exit_goes_on = exit->Ist.Exit.dst->Ico.U64 == following;
  if (b->in_block && exit_goes_on) AddTo(b, b->second, OneIf(b, exit->Ist.Exit.guard));
  addStmtToIRSB(b->out, exit);
  if (b->in_block && !exit_goes_on) AddTo(b, b->second, One(b));
  b->in_block = False;
}

/* A repeated instruction comes back to itself for each iteration. It was reached anew as often as
 * it began less the ways back; its operation is done as often as it gets past the test for none. */
static void CountRepeatedExit(struct building* b, IRStmt* exit, Addr self, Bool* tested) {
  const Bool back = exit->Ist.Exit.dst->Ico.U64 == self;
  if (b->in_block && back) {
    IRExpr* ways_back = OneIf(b, exit->Ist.Exit.guard);
    AddTo(b, b->executions, Binary(b->out, Iop_Sub64, Number(0), ways_back));
  }
  addStmtToIRSB(b->out, exit);
  if (b->in_block && !back && !*tested) AddTo(b, b->second, One(b));
  if (!back) *tested = True;
}

/* What the last instruction still owes when control runs off the end of the superblock. */
static void CountEnd(struct building* b, const IRSB* in, const IRStmt* mark, Addr following) {
  if (!b->in_block || mark == NULL) return;
  if (blocks_is_repeated(mark) && blocks_goes_to(in, mark->Ist.IMark.addr)) {
    AddTo(b, b->executions, Binary(b->out, Iop_Sub64, Number(0), One(b)));
  }
  /* A branch whose outcome the optimiser knew has no exit. */
  if (blocks_is_conditional(mark) && blocks_goes_to(in, following)) AddTo(b, b->second, One(b));
}

IRSB* counting_instrument(VgCallbackClosure* closure, IRSB* in, const VexGuestLayout* layout,
                          const VexGuestExtents* extents, const VexArchInfo* host,
                          IRType guest_word, IRType host_word) {
  IRSB* out = deepCopyIRSBExceptStmts(in);
  struct building b = {.out = out, .shadow = layout->total_sizeB};
  const IRStmt* mark = NULL; /* of the instruction at hand */
  Addr following = 0;
  Bool repeated = False;
  Bool tested = False;
  Bool fresh = True; /* the next instruction begins a block */
  recording_object_at(extents->base[0]);
  const Addr region_start = region_start_near(extents->base[0]);

  for (Int i = 0; i < in->stmts_used; ++i) {
    IRStmt* statement = in->stmts[i];
    if (statement->tag == Ist_NoOp) continue;
    if (statement->tag == Ist_IMark) {
      const Addr here = statement->Ist.IMark.addr;
      /* An unrolled loop: the way back lies between two copies of the same instruction. */
      if (repeated && b.in_block && here == mark->Ist.IMark.addr) {
        AddTo(&b, b.executions, Binary(out, Iop_Sub64, Number(0), One(&b)));
      }
      const Bool jumped = here != following;
      const Bool was_repeated = repeated;
      mark = statement;
      following = here + statement->Ist.IMark.len;
      repeated = blocks_is_repeated(statement);
      addStmtToIRSB(out, statement);
      if (region_start != 0 && here == region_start) {
        region_add_entry(out, layout);
        fresh = True;
      }
      if (fresh || jumped || repeated || was_repeated) {
        const struct block_span span = blocks_span(in, i, region_start);
        BeginBlock(&b, &span);
        fresh = False;
      }
      if (repeated) {
        const enum repeated_start start = blocks_repeated_start(in, i);
        tested = start != kTest;
        if (start == kOperation && b.in_block) AddTo(&b, b.second, One(&b));
      }
    } else if (!blocks_is_branch(statement, mark)) {
      if (statement->tag == Ist_Dirty) asked_lead(statement->Ist.Dirty.details);
      addStmtToIRSB(out, statement);
    } else if (repeated) {
      CountRepeatedExit(&b, statement, mark->Ist.IMark.addr, &tested);
    } else {
      CountBranch(&b, statement, following);
      fresh = True;
    }
  }
  CountEnd(&b, in, mark, following);
  if (region_is_set() && in->jumpkind == Ijk_Ret) region_add_return(out, layout, in->next);
  return out;
}
