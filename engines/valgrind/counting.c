/* counting.c: adds an inline counter to each block of a superblock. */
#include "counting.h"

#include "blocks.h"
#include "emit.h"
#include "recording.h"
#include "region.h"
#include "system_input.h"

void counting_start_thread(ThreadId thread) {
  const ULong counters = (ULong)recording_counters();
  VG_(set_shadow_regs_area)(thread, 1, kShadowCounters, sizeof counters, (const UChar*)&counters);
}

/* State of the superblock under construction. */
struct building {
  IRSB* out;
  const struct recorded_block* next; /* NULL: the blocks have to be recorded */
  Int shadow;                        /* offset of the first shadow state from the guest state */
  Bool in_block; /* a block with counters is open; `executions` and `second` point to them */
  ULong* executions;
  ULong* second;
  IRExpr* page; /* base address of this superblock's counters; NULL: not computed yet */
  ULong page_offset;
};

/* A counter's address as a register plus a small displacement, which both instruction sets can
 * encode as an addressing mode. The register is computed once per superblock from a per-thread word
 * and a constant whose low bits are 0; AArch64 adds such a constant in one instruction. A full
 * 64-bit constant address would cost three instructions at every use. */
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

/* Computes the address twice because VEX folds a value with a single use into the instruction. */
static void AddTo(struct building* b, const ULong* counter, IRExpr* amount) {
  IRExpr* from = PlaceOf(b, counter);
  IRExpr* to = PlaceOf(b, counter);
  IRExpr* before = Assign(b->out, Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, from));
  addStmtToIRSB(b->out, IRStmt_Store(Iend_LE, to, Binary(b->out, Iop_Add64, before, amount)));
}

/* The increment for one execution: 1, or, if there is a region, whether the thread is inside. */
static IRExpr* One(struct building* b) {
  return region_is_set() ? Get(b->out, b->shadow + kShadowInside) : Number(1);
}

/* 1 if `condition` is true and the thread is inside the region, if there is one; 0 otherwise. */
static IRExpr* OneIf(struct building* b, IRExpr* condition) {
  IRExpr* is_true = Assign(b->out, Ity_I64, IRExpr_Unop(Iop_1Uto64, condition));
  if (!region_is_set()) return is_true;
  return Binary(b->out, Iop_And64, is_true, One(b));
}

static void BeginBlock(struct building* b, const struct block_span* span) {
  const ULong block = b->next != NULL ? b->next->number : recording_add_block(span);
  b->in_block = block != TARE_WIRE_NO_BLOCK;
  if (!b->in_block) return;
  struct tare_wire_counters* counters = recording_counters() + block;
  b->executions = (ULong*)&counters->executions;
  b->second = (ULong*)&counters->second;
  AddTo(b, b->executions, One(b));
}

/* A conditional branch: the second counter counts how often it was not taken. VEX may invert the
 * condition, so that the exit leads to the next instruction. */
static void CountBranch(struct building* b, IRStmt* exit, Addr following) {
  const Bool exit_goes_on = exit->Ist.Exit.dst->Ico.U64 == following;
  if (b->in_block && exit_goes_on) AddTo(b, b->second, OneIf(b, exit->Ist.Exit.guard));
  addStmtToIRSB(b->out, exit);
  if (b->in_block && !exit_goes_on) AddTo(b, b->second, One(b));
  b->in_block = False;
}

/* VEX translates a repeated instruction into a loop that jumps back to itself for each iteration.
 * The number of arrivals is the number of starts minus the number of jumps back. The number of
 * operations is how often control passes the test for a zero count. */
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

/* Counts what the last instruction contributes when control reaches the end of the superblock. */
static void CountEnd(struct building* b, const IRSB* in, const IRStmt* mark, Addr following) {
  if (!b->in_block || mark == NULL) return;
  if (blocks_is_repeated(mark) && blocks_goes_to(in, mark->Ist.IMark.addr)) {
    AddTo(b, b->executions, Binary(b->out, Iop_Sub64, Number(0), One(b)));
  }
  /* VEX emits no exit for a branch whose outcome its optimiser knows. */
  if (blocks_is_conditional(mark) && blocks_goes_to(in, following)) AddTo(b, b->second, One(b));
}

IRSB* counting_instrument(VgCallbackClosure* closure, IRSB* in, const VexGuestLayout* layout,
                          const VexGuestExtents* extents, const VexArchInfo* host,
                          IRType guest_word, IRType host_word) {
  return counting_add(in, layout, extents, NULL);
}

IRSB* counting_add(IRSB* in, const VexGuestLayout* layout, const VexGuestExtents* extents,
                   const struct recorded_block* blocks) {
  IRSB* out = deepCopyIRSBExceptStmts(in);
  struct building b = {.out = out, .next = blocks, .shadow = layout->total_sizeB};
  const IRStmt* mark = NULL; /* of the current instruction */
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
      /* VEX unrolled the loop: the jump back is between two copies of the same instruction. */
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
      const Bool starts_block = fresh || jumped || repeated || was_repeated;
      if (starts_block) {
        const struct block_span span = blocks_span(in, i, region_start);
        BeginBlock(&b, &span);
        fresh = False;
      }
      if (repeated) {
        const enum repeated_start start =
            b.next != NULL ? b.next->start : blocks_repeated_start(in, i);
        tested = start != kTest;
        if (start == kOperation && b.in_block) AddTo(&b, b.second, One(&b));
      }
      if (starts_block && b.next != NULL) ++b.next;
    } else if (!blocks_is_branch(statement, mark)) {
      if (statement->tag == Ist_Dirty) system_input_redirect(statement->Ist.Dirty.details);
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
