/* counting.c: splits a superblock into blocks and gives each a counter that is added to in line. */
#include "counting.h"

#include <stddef.h>

#include "asked.h"
#include "engines/instruction_ends.h"
#include "libvex_guest_arm64.h"
#include "recording.h"

static struct region region;

/* Words of a thread's own in its first shadow state, which no tool part uses otherwise. */
enum { kInside = 0, kFrame = 8, kReturn = 16, kCounters = 24 };

#if defined(VGA_amd64)
/* `ret` has popped the address when control leaves, so that the frame lies below. */
enum { kOffsetReturn = -1, kPoppedByReturn = 8 };
#else
enum { kOffsetReturn = offsetof(VexGuestARM64State, guest_X30), kPoppedByReturn = 0 };
#endif

void counting_set_region(const struct region* wanted) { region = *wanted; }

void counting_start_thread(ThreadId thread) {
  const ULong words[3] = {~0ULL, ~0ULL, (ULong)recording_counters()};
  VG_(set_shadow_regs_area)(thread, 1, kFrame, sizeof words, (const UChar*)words);
}

static IRExpr* Number(ULong value) { return IRExpr_Const(IRConst_U64(value)); }

static IRExpr* Assign(IRSB* out, IRType type, IRExpr* expression) {
  const IRTemp temporary = newIRTemp(out->tyenv, type);
  addStmtToIRSB(out, IRStmt_WrTmp(temporary, expression));
  return IRExpr_RdTmp(temporary);
}

static IRExpr* Binary(IRSB* out, IROp op, IRExpr* a, IRExpr* b) {
  return Assign(out, Ity_I64, IRExpr_Binop(op, a, b));
}

/* What is being built. */
struct building {
  IRSB* out;
  Int shadow; /* place of the first shadow state, seen from the guest state */
  Int stack_pointer;
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
    IRExpr* base = Assign(b->out, Ity_I64, IRExpr_Get(b->shadow + kCounters, Ity_I64));
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
  if (region.inode == 0) return Number(1);
  return Assign(b->out, Ity_I64, IRExpr_Get(b->shadow + kInside, Ity_I64));
}

/* 1 or 0 as `condition` holds, and 0 outside of the region. */
static IRExpr* OneIf(struct building* b, IRExpr* condition) {
  IRExpr* held = Assign(b->out, Ity_I64, IRExpr_Unop(Iop_1Uto64, condition));
  if (region.inode == 0) return held;
  return Binary(b->out, Iop_And64, held, One(b));
}

static void BeginBlock(struct building* b, Addr start, UInt bytes, UInt instructions, UInt flags) {
  struct tare_wire_counters* counters = recording_add_block(start, bytes, instructions, flags);
  b->in_block = counters != NULL;
  if (!b->in_block) return;
  b->executions = (ULong*)&counters->executions;
  b->second = (ULong*)&counters->second;
  AddTo(b, b->executions, One(b));
}

static Bool IsRepeated(const IRStmt* mark) {
#if defined(VGA_amd64)
  return tare_x86_is_repeated((const UChar*)mark->Ist.IMark.addr, mark->Ist.IMark.len);
#else
  return False;
#endif
}

static Bool IsConditional(const IRStmt* mark) {
#if defined(VGA_amd64)
  return tare_x86_end((const UChar*)mark->Ist.IMark.addr, mark->Ist.IMark.len) ==
         TARE_END_CONDITIONAL;
#else
  return tare_a64_end(*(const UInt*)mark->Ist.IMark.addr) == TARE_END_CONDITIONAL;
#endif
}

/* An exit that the program's own branch or repetition makes. Others report a fault, or try an
 * atomic operation again. */
static Bool IsBranch(const IRStmt* statement, const IRStmt* mark) {
  return statement->tag == Ist_Exit && statement->Ist.Exit.jk == Ijk_Boring && mark != NULL &&
         (IsConditional(mark) || IsRepeated(mark));
}

static Addr RegionStart(Addr address) {
  if (region.inode == 0) return 0;
  const struct mapped_file file = recording_object_at(address);
  if (file.inode != region.inode || file.device != region.device) return 0;
  if (region.offset < file.offset || region.offset - file.offset >= file.end - file.start) return 0;
  return file.start + (region.offset - file.offset);
}

/* The block that begins at statement `i`: up to the next branch, repeated instruction, or start of
 * the region. */
static void DescribeBlock(struct building* b, const IRSB* in, Int i, Addr region_start) {
  const IRStmt* first = in->stmts[i];
  const Addr start = first->Ist.IMark.addr;
  if (IsRepeated(first)) {
    BeginBlock(b, start, first->Ist.IMark.len, 1, TARE_WIRE_REPEATED);
    return;
  }
  const IRStmt* last = first;
  Addr end = start;
  UInt instructions = 0;
  for (; i < in->stmts_used; ++i) {
    const IRStmt* statement = in->stmts[i];
    if (IsBranch(statement, last)) break;
    if (statement->tag != Ist_IMark) continue;
    const Addr here = statement->Ist.IMark.addr;
    const Bool goes_on = here == end && !IsRepeated(statement);
    if (instructions > 0 && (!goes_on || here == region_start)) break;
    end = here + statement->Ist.IMark.len;
    last = statement;
    ++instructions;
  }
  const UInt flags = IsConditional(last) ? TARE_WIRE_CONDITIONAL : 0;
  BeginBlock(b, start, (UInt)(end - start), instructions, flags);
}

static IRExpr* ReturnAddress(struct building* b, IRExpr* stack_pointer) {
  if (kOffsetReturn < 0) {
    return Assign(b->out, Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, stack_pointer));
  }
  return Assign(b->out, Ity_I64, IRExpr_Get(kOffsetReturn, Ity_I64));
}

static void PutUnless(struct building* b, IRExpr* inside, Int word, IRExpr* value) {
  IRExpr* kept = Assign(b->out, Ity_I64, IRExpr_Get(b->shadow + word, Ity_I64));
  addStmtToIRSB(b->out, IRStmt_Put(b->shadow + word,
                                   Assign(b->out, Ity_I64, IRExpr_ITE(inside, kept, value))));
}

/* At the region's first instruction: remember frame and return address, unless already inside. */
static void EnterRegion(struct building* b) {
  IRExpr* word = Assign(b->out, Ity_I64, IRExpr_Get(b->shadow + kInside, Ity_I64));
  IRExpr* inside = Assign(b->out, Ity_I1, IRExpr_Binop(Iop_CmpNE64, word, Number(0)));
  IRExpr* stack_pointer = Assign(b->out, Ity_I64, IRExpr_Get(b->stack_pointer, Ity_I64));
  PutUnless(b, inside, kFrame, stack_pointer);
  PutUnless(b, inside, kReturn, ReturnAddress(b, stack_pointer));
  addStmtToIRSB(b->out, IRStmt_Put(b->shadow + kInside, Number(1)));
  IRExpr* entries = Number((ULong)&recording_header()->region_entries);
  IRExpr* before = Assign(b->out, Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, entries));
  IRExpr* fresh = Binary(b->out, Iop_Sub64, Number(1), word);
  addStmtToIRSB(b->out, IRStmt_Store(Iend_LE, entries, Binary(b->out, Iop_Add64, before, fresh)));
}

/* At a return: leave when it goes to the remembered address from the remembered frame or above. */
static void LeaveRegion(struct building* b, IRExpr* next) {
  IRExpr* to = next->tag == Iex_Const ? next : Assign(b->out, Ity_I64, next);
  IRExpr* back = Assign(b->out, Ity_I64, IRExpr_Get(b->shadow + kReturn, Ity_I64));
  IRExpr* frame = Assign(b->out, Ity_I64, IRExpr_Get(b->shadow + kFrame, Ity_I64));
  IRExpr* least = Binary(b->out, Iop_Add64, frame, Number(kPoppedByReturn));
  IRExpr* now = Assign(b->out, Ity_I64, IRExpr_Get(b->stack_pointer, Ity_I64));
  IRExpr* same = Assign(b->out, Ity_I1, IRExpr_Binop(Iop_CmpEQ64, to, back));
  IRExpr* above = Assign(b->out, Ity_I1, IRExpr_Binop(Iop_CmpLE64U, least, now));
  IRExpr* left = Binary(b->out, Iop_And64, Assign(b->out, Ity_I64, IRExpr_Unop(Iop_1Uto64, same)),
                        Assign(b->out, Ity_I64, IRExpr_Unop(Iop_1Uto64, above)));
  IRExpr* word = Assign(b->out, Ity_I64, IRExpr_Get(b->shadow + kInside, Ity_I64));
  IRExpr* stays = Binary(b->out, Iop_Xor64, left, Number(1));
  addStmtToIRSB(b->out, IRStmt_Put(b->shadow + kInside, Binary(b->out, Iop_And64, word, stays)));
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

/* What stands first in the code of a repeated instruction: the test for none or the operation.
 * Where the optimiser knows that there is nothing to do, it leaves neither. */
enum repeated_start { kTest, kOperation, kNothing };

static enum repeated_start StartOfRepeated(const IRSB* in, Int mark, Addr self) {
  for (Int i = mark + 1; i < in->stmts_used && in->stmts[i]->tag != Ist_IMark; ++i) {
    const IRStmt* statement = in->stmts[i];
    if (statement->tag == Ist_Store || statement->tag == Ist_StoreG) return kOperation;
    if (statement->tag == Ist_WrTmp && statement->Ist.WrTmp.data->tag == Iex_Load) {
      return kOperation;
    }
    if (IsBranch(statement, in->stmts[mark])) {
      return statement->Ist.Exit.dst->Ico.U64 == self ? kOperation : kTest;
    }
  }
  return kNothing;
}

static Bool GoesTo(const IRSB* in, Addr address) {
  return in->next->tag == Iex_Const && in->next->Iex.Const.con->Ico.U64 == address;
}

/* What the last instruction still owes when control runs off the end of the superblock. */
static void CountEnd(struct building* b, const IRSB* in, const IRStmt* mark, Addr following) {
  if (!b->in_block || mark == NULL) return;
  if (IsRepeated(mark) && GoesTo(in, mark->Ist.IMark.addr)) {
    AddTo(b, b->executions, Binary(b->out, Iop_Sub64, Number(0), One(b)));
  }
  /* A branch whose outcome the optimiser knew has no exit. */
  if (IsConditional(mark) && GoesTo(in, following)) AddTo(b, b->second, One(b));
}

IRSB* counting_instrument(VgCallbackClosure* closure, IRSB* in, const VexGuestLayout* layout,
                          const VexGuestExtents* extents, const VexArchInfo* host,
                          IRType guest_word, IRType host_word) {
  IRSB* out = deepCopyIRSBExceptStmts(in);
  struct building b = {
      .out = out, .shadow = layout->total_sizeB, .stack_pointer = layout->offset_SP};
  const IRStmt* mark = NULL; /* of the instruction at hand */
  Addr following = 0;
  Bool repeated = False;
  Bool tested = False;
  Bool fresh = True; /* the next instruction begins a block */
  recording_object_at(extents->base[0]);
  const Addr region_start = RegionStart(extents->base[0]);

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
      repeated = IsRepeated(statement);
      addStmtToIRSB(out, statement);
      if (region_start != 0 && here == region_start) {
        EnterRegion(&b);
        fresh = True;
      }
      if (fresh || jumped || repeated || was_repeated) {
        DescribeBlock(&b, in, i, region_start);
        fresh = False;
      }
      if (repeated) {
        const enum repeated_start start = StartOfRepeated(in, i, here);
        tested = start != kTest;
        if (start == kOperation && b.in_block) AddTo(&b, b.second, One(&b));
      }
    } else if (!IsBranch(statement, mark)) {
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
  if (region.inode != 0 && in->jumpkind == Ijk_Ret) LeaveRegion(&b, in->next);
  return out;
}
