/* flow_access.c: plans flow records; a constant address, or one at a constant distance from a word
 * of the same record, needs no word. */
#include "flow_access.h"

#include "format/flow_wire.h"

/* An address as a temporary of unknown value plus a constant distance. */
struct rooted {
  IRTemp root; /* IRTemp_INVALID: no root, the distance is the address */
  ULong distance;
};

/* Defining expression of each temporary of the current superblock; NULL: not defined by WrTmp. */
static IRExpr** definitions;
static SizeT definitions_room;

struct planning {
  const IRSB* in;
  struct flow_record* record;
  Int statement;
  Addr start;
  Addr instruction;
  Bool behind_exit;
  Bool ignores_exits;
};

static Bool IsConstant(const IRExpr* expression) { return expression->tag == Iex_Const; }

/* Returns the temporary to which the expression adds a constant; IRTemp_INVALID for any other
 * expression. */
static IRTemp AddsTo(const IRExpr* expression, ULong* constant) {
  *constant = 0;
  if (expression->tag == Iex_RdTmp) return expression->Iex.RdTmp.tmp;
  if (expression->tag != Iex_Binop) return IRTemp_INVALID;
  const IRExpr* a = expression->Iex.Binop.arg1;
  const IRExpr* b = expression->Iex.Binop.arg2;
  const Bool adds = expression->Iex.Binop.op == Iop_Add64;
  if (!adds && expression->Iex.Binop.op != Iop_Sub64) return IRTemp_INVALID;
  if (a->tag == Iex_RdTmp && IsConstant(b)) {
    const ULong value = b->Iex.Const.con->Ico.U64;
    *constant = adds ? value : 0 - value;
    return a->Iex.RdTmp.tmp;
  }
  if (adds && IsConstant(a) && b->tag == Iex_RdTmp) {
    *constant = a->Iex.Const.con->Ico.U64;
    return b->Iex.RdTmp.tmp;
  }
  return IRTemp_INVALID;
}

static struct rooted RootOf(const IRExpr* address) {
  struct rooted rooted = {IRTemp_INVALID, 0};
  if (IsConstant(address)) {
    rooted.distance = address->Iex.Const.con->Ico.U64;
    return rooted;
  }
  rooted.root = address->Iex.RdTmp.tmp;
  for (const IRExpr* defined; (defined = definitions[rooted.root]) != NULL;) {
    if (IsConstant(defined)) {
      rooted.distance += defined->Iex.Const.con->Ico.U64;
      rooted.root = IRTemp_INVALID;
      break;
    }
    ULong constant;
    const IRTemp below = AddsTo(defined, &constant);
    if (below == IRTemp_INVALID) break;
    rooted.root = below;
    rooted.distance += constant;
  }
  return rooted;
}

/* Returns the word of this record that contains the root; 0: none. */
static UShort WordOf(const struct flow_record* record, IRTemp root) {
  for (UInt i = 0; i < record->touches; ++i) {
    const struct flow_touch* touch = &record->touch[i];
    if (touch->store != NULL && touch->guard == NULL && touch->store->tag == Iex_RdTmp &&
        touch->store->Iex.RdTmp.tmp == root) {
      return touch->access.word;
    }
  }
  return 0;
}

static void Touch(struct planning* p, IRExpr* address, Int bytes, Bool stores, IRExpr* guard) {
  struct flow_record* record = p->record;
  if (record->touches == kMaxTouches) {
    record->too_many = True;
    return;
  }
  struct flow_touch* touch = &record->touch[record->touches];
  *touch = (struct flow_touch){.statement = p->statement,
                               .address = address,
                               .root = IRTemp_INVALID,
                               .is_store = stores,
                               .is_guarded = guard != NULL || p->behind_exit};
  touch->access.bytes = (UInt)bytes;
  touch->access.code_offset = (UInt)(p->instruction - p->start);
  if (touch->is_guarded) {
    touch->access.kind = stores ? TARE_FLOW_GUARDED_STORE : TARE_FLOW_GUARDED_LOAD;
    touch->access.word = (UShort)record->words++;
    touch->store = address;
    touch->guard = guard;
  } else {
    const struct rooted rooted = RootOf(address);
    touch->access.kind = stores ? TARE_FLOW_STORE : TARE_FLOW_LOAD;
    touch->access.offset = rooted.distance;
    touch->root = rooted.root;
    touch->distance = rooted.distance;
    if (rooted.root != IRTemp_INVALID) touch->access.word = WordOf(record, rooted.root);
    if (rooted.root != IRTemp_INVALID && touch->access.word == 0) {
      touch->access.word = (UShort)record->words++;
      touch->store = IRExpr_RdTmp(rooted.root);
    }
  }
  ++record->touches;
}

static Int BytesOf(const struct planning* p, const IRExpr* data) {
  return sizeofIRType(typeOfIRExpr(p->in->tyenv, data));
}

static void TouchByDirty(struct planning* p, const IRDirty* call) {
  IRExpr* guard = IsConstant(call->guard) ? NULL : call->guard;
  if (call->mFx == Ifx_None || (guard == NULL && !call->guard->Iex.Const.con->Ico.U1)) return;
  if (call->mFx != Ifx_Write) Touch(p, call->mAddr, call->mSize, False, guard);
  if (call->mFx != Ifx_Read) Touch(p, call->mAddr, call->mSize, True, guard);
}

static void TouchByGuardedLoad(struct planning* p, const IRLoadG* load) {
  IRType wide;
  IRType narrow;
  typeOfIRLoadGOp(load->cvt, &wide, &narrow);
  Touch(p, load->addr, sizeofIRType(narrow), False, load->guard);
}

static void TouchByCompareAndSwap(struct planning* p, const IRCAS* swap) {
  const Int bytes = BytesOf(p, swap->dataLo) * (swap->dataHi != NULL ? 2 : 1);
  Touch(p, swap->addr, bytes, False, NULL);
  Touch(p, swap->addr, bytes, True, NULL);
}

static void TouchByLinked(struct planning* p, IRStmt* statement) {
  IRExpr* data = statement->Ist.LLSC.storedata;
  const Int bytes = data != NULL
                        ? BytesOf(p, data)
                        : sizeofIRType(typeOfIRTemp(p->in->tyenv, statement->Ist.LLSC.result));
  Touch(p, statement->Ist.LLSC.addr, bytes, data != NULL, NULL);
}

static void PlanStatement(struct planning* p, IRStmt* statement) {
  switch (statement->tag) {
    case Ist_IMark:
      p->instruction = statement->Ist.IMark.addr;
      break;
    case Ist_WrTmp: {
      IRExpr* data = statement->Ist.WrTmp.data;
      if (data->tag == Iex_Load) {
        Touch(p, data->Iex.Load.addr, sizeofIRType(data->Iex.Load.ty), False, NULL);
      }
      break;
    }
    case Ist_Store:
      Touch(p, statement->Ist.Store.addr, BytesOf(p, statement->Ist.Store.data), True, NULL);
      break;
    case Ist_StoreG: {
      const IRStoreG* store = statement->Ist.StoreG.details;
      Touch(p, store->addr, BytesOf(p, store->data), True, store->guard);
      break;
    }
    case Ist_LoadG:
      TouchByGuardedLoad(p, statement->Ist.LoadG.details);
      break;
    case Ist_CAS:
      TouchByCompareAndSwap(p, statement->Ist.CAS.details);
      break;
    case Ist_LLSC:
      TouchByLinked(p, statement);
      break;
    case Ist_Dirty:
      TouchByDirty(p, statement->Ist.Dirty.details);
      break;
    case Ist_Exit:
      if (flow_is_way_out(statement)) p->behind_exit = !p->ignores_exits;
      break;
    default:
      break;
  }
}

Bool flow_is_way_out(const IRStmt* statement) {
  if (statement->tag != Ist_Exit) return False;
  switch (statement->Ist.Exit.jk) {
    case Ijk_SigILL:
    case Ijk_SigTRAP:
    case Ijk_SigSEGV:
    case Ijk_SigBUS:
    case Ijk_SigFPE:
    case Ijk_SigFPE_IntDiv:
    case Ijk_SigFPE_IntOvf:
      return False;
    default:
      return True;
  }
}

void flow_begin_plans(const IRSB* in) {
  const SizeT wanted = (SizeT)in->tyenv->types_used + 1;
  if (wanted > definitions_room) {
    VG_(free)(definitions);
    definitions = VG_(malloc)("tare.flow", wanted * sizeof *definitions);
    definitions_room = wanted;
  }
  VG_(memset)(definitions, 0, wanted * sizeof *definitions);
  for (Int i = 0; i < in->stmts_used; ++i) {
    const IRStmt* statement = in->stmts[i];
    if (statement->tag != Ist_WrTmp) continue;
    definitions[statement->Ist.WrTmp.tmp] = statement->Ist.WrTmp.data;
  }
}

static void Plan(struct planning* p, Int from, Int to) {
  p->record->words = 1;
  p->record->touches = 0;
  p->record->too_many = False;
  for (p->statement = from; p->statement < to; ++p->statement) {
    PlanStatement(p, p->in->stmts[p->statement]);
  }
}

void flow_plan(const IRSB* in, Int from, Int to, Addr start, struct flow_record* record) {
  struct planning p = {.in = in, .record = record, .start = start, .instruction = start};
  Plan(&p, from, to);
}

void flow_plan_all(const IRSB* in, struct flow_record* record) {
  struct planning p = {.in = in, .record = record, .ignores_exits = True};
  Plan(&p, 0, in->stmts_used);
}
