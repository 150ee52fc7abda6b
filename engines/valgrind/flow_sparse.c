/* flow_sparse.c: instrumented code compares accesses with a table of lines under a mask, which is 0
 * for groups that do not matter; a call passes lines on. */
#include "flow_sparse.h"

#include "emit.h"
#include "flow.h"
#include "format/flow_wire.h"

/* The address of a line, plus kClean if a store to it has to be passed on. */
#define kClean (1ULL << 63)
/* In no line: the distance from any address below 1 << 62 is larger. */
#define kEmpty (1ULL << 62)

enum { kMaxGroups = 64, kEntryShift = 4 };

struct entry {
  ULong line; /* used last */
  ULong mask; /* of the bits in which another line differs; 0: the group does not matter now */
};
_Static_assert(sizeof(struct entry) == 1 << kEntryShift, "instrumented code computes its place");

static ULong groups;
static struct entry table[kMaxGroups];
/* Of the filter. */
static UInt line_shift;
static UInt index_shift;
static ULong last_group;
static Bool marks_dirty;

struct sparse_access {
  ULong offset;
  UInt bytes;
  UShort word;
  Bool store;
  Bool guarded;
};

struct flow_sparse_record {
  ULong number;
  UInt words;
  UInt accesses;
  struct sparse_access access[];
};

void flow_sparse_set(ULong wanted) {
  const struct tare_flow_filter* filter = flow_filter();
  if (wanted == 0) return;
  if (filter->entries == 0 || filter->entries > kMaxGroups || filter->index_shift < kEntryShift ||
      (filter->entries < kMaxGroups && wanted >> filter->entries != 0)) {
    VG_(fmsg_bad_option)("--flow-groups", "groups of --flow-filter expected\n");
    VG_(exit)(1);
  }
  groups = wanted;
  line_shift = filter->line_shift;
  index_shift = filter->index_shift;
  last_group = filter->entries - 1;
  marks_dirty = filter->dirty != 0;
  flow_filter_set_groups(wanted);
}

Bool flow_is_sparse(void) { return groups != 0; }

void flow_sparse_open_window(Bool open) {
  if (groups == 0) return;
  for (ULong i = 0; i <= last_group; ++i) {
    const Bool matters = !open && (groups >> i & 1) != 0;
    table[i] = (struct entry){kEmpty, matters ? ~((1ULL << line_shift) - 1) : 0};
  }
}

/* Bits that are set if the access is in another line than the one used last, or in two. */
static IRExpr* Differs(IRSB* out, IRExpr* address, ULong bytes) {
  IRExpr* line_place;
  IRExpr* mask_place;
  if (address->tag == Iex_Const) {
    const ULong group = address->Iex.Const.con->Ico.U64 >> index_shift & last_group;
    line_place = Number((ULong)&table[group].line);
    mask_place = Number((ULong)&table[group].mask);
  } else {
    IRExpr* shift = IRExpr_Const(IRConst_U8((UChar)(index_shift - kEntryShift)));
    IRExpr* shifted = index_shift == kEntryShift
                          ? address
                          : Assign(out, Ity_I64, IRExpr_Binop(Iop_Shr64, address, shift));
    IRExpr* offset = Binary(out, Iop_And64, shifted, Number(last_group << kEntryShift));
    line_place = Binary(out, Iop_Add64, offset, Number((ULong)&table[0].line));
    mask_place = Binary(out, Iop_Add64, offset, Number((ULong)&table[0].mask));
  }
  IRExpr* line = Assign(out, Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, line_place));
  IRExpr* bits = Binary(out, Iop_Sub64, address, line);
  if (bytes > 1) {
    bits = Binary(out, Iop_Or64, bits, Binary(out, Iop_Add64, bits, Number(bytes - 1)));
  }
  IRExpr* mask = Assign(out, Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, mask_place));
  return Binary(out, Iop_And64, bits, mask);
}

static void Include(IRSB* out, IRExpr** all, IRExpr* bits) {
  *all = *all == NULL ? bits : Binary(out, Iop_Or64, *all, bits);
}

static IRExpr* Plus(IRSB* out, IRExpr* value, ULong constant) {
  if (constant == 0) return value;
  if (value->tag == Iex_Const) return Number(value->Iex.Const.con->Ico.U64 + constant);
  return Binary(out, Iop_Add64, value, Number(constant));
}

static void AddCheck(IRSB* out, const struct flow_touch* touch, struct flow_check* check) {
  const Bool store = touch->group_store && marks_dirty;
  IRExpr** all = store ? &check->stores : &check->loads;
  const ULong bytes = (ULong)(touch->group_end - touch->group_begin);
  IRExpr* first = Plus(out, touch->address, (ULong)touch->group_begin);
  if (bytes == touch->access.bytes) {
    Include(out, all, Differs(out, first, bytes));
  } else {
    Include(out, all, Differs(out, first, 1));
    Include(out, all, Differs(out, Plus(out, first, bytes - 1), 1));
  }
}

void flow_sparse_add_checks(IRSB* out, const struct flow_record* record, Int statement,
                            struct flow_check* check) {
  for (UInt i = 0; i < record->touches; ++i) {
    const struct flow_touch* touch = &record->touch[i];
    if (touch->statement != statement) continue;
    if (touch->group == i) AddCheck(out, touch, check);
    if (touch->group == kUngrouped) check->always = True;
  }
}

struct flow_sparse_record* flow_sparse_describe(const struct flow_record* record, ULong number) {
  struct flow_sparse_record* described = VG_(malloc)(
      "tare.flow_sparse", sizeof *described + record->touches * sizeof(struct sparse_access));
  described->number = number;
  described->words = record->words;
  described->accesses = record->touches;
  for (UInt i = 0; i < record->touches; ++i) {
    const struct flow_touch* touch = &record->touch[i];
    described->access[i] = (struct sparse_access){.offset = touch->access.offset,
                                                  .bytes = touch->access.bytes,
                                                  .word = touch->access.word,
                                                  .store = touch->is_store,
                                                  .guarded = touch->is_guarded};
  }
  return described;
}

/* Lines that are being passed on. */
struct passed {
  ULong number;
  ULong* to;
  UInt lines;
};

static void Pass(struct passed* passed) {
  if (passed->lines == 0) return;
  passed->to[0] = passed->number | TARE_FLOW_LINES | (ULong)passed->lines << TARE_FLOW_LINES_SHIFT;
  flow_advance(1 + passed->lines);
  passed->to = flow_place();
  passed->lines = 0;
}

/* Updates the table; passes the line on if `passed` is not NULL. */
static inline void UseLine(ULong line, Bool store, ULong further, struct passed* passed) {
  struct entry* entry = &table[line >> index_shift & last_group];
  if (entry->mask == 0) return;
  const Bool differs = (entry->line & ~kClean) != line;
  const Bool is_clean = (entry->line & kClean) != 0;
  if (!differs && !(store && is_clean)) return;
  entry->line = store || !marks_dirty ? line : line | kClean;
  if (passed == NULL) return;
  passed->to[1 + passed->lines++] = line | (store ? TARE_FLOW_LINE_STORE : 0) | further;
  if (passed->lines == TARE_FLOW_MAX_LINE_WORDS) Pass(passed);
}

static inline void UseLines(const ULong* words, const struct flow_sparse_record* record,
                            struct passed* passed) {
  const ULong bytes = 1ULL << line_shift;
  for (UInt i = 0; i < record->accesses; ++i) {
    const struct sparse_access* access = &record->access[i];
    const ULong word = access->word == 0 ? 0 : words[access->word];
    if (access->guarded && word == 0) continue;
    const ULong address = word + access->offset;
    const ULong last = (address + access->bytes - 1) & ~(bytes - 1);
    ULong line = address & ~(bytes - 1);
    UseLine(line, access->store, 0, passed);
    while (line != last) UseLine(line += bytes, access->store, TARE_FLOW_LINE_FURTHER, passed);
  }
}

/* Called by instrumented code. */
static void PassLines(const ULong* words, const struct flow_sparse_record* record) {
  struct passed passed = {record->number, flow_place(), 0};
  UseLines(words, record, &passed);
  Pass(&passed);
}

static void PassWhole(const ULong* words, const struct flow_sparse_record* record) {
  UseLines(words, record, NULL);
  ULong* to = flow_place();
  for (UInt i = 0; i < record->words; ++i) to[i] = words[i];
  flow_advance(record->words);
}

static void AddCall(IRSB* out, const HChar* name, void* function, IRExpr* place,
                    const struct flow_sparse_record* record, IRExpr* guard) {
  IRDirty* call = unsafeIRDirty_0_N(2, name, VG_(fnptr_to_fnentry)(function),
                                    mkIRExprVec_2(place, Number((ULong)(Addr)record)));
  call->guard = guard;
  addStmtToIRSB(out, IRStmt_Dirty(call));
}

static IRExpr* IsZero(IRSB* out, IRExpr* value) {
  return Assign(out, Ity_I1, IRExpr_Binop(Iop_CmpEQ64, value, Number(0)));
}

void flow_sparse_add_end(IRSB* out, IRExpr* place, IRExpr* full, const struct flow_check* check,
                         const struct flow_sparse_record* record) {
  IRExpr* guard;
  if (check->always) {
    guard = IsZero(out, full);
  } else {
    IRExpr* differs = check->stores;
    if (check->loads != NULL) {
      /* Without kClean, which does not matter to loads. */
      Include(
          out, &differs,
          Assign(out, Ity_I64, IRExpr_Binop(Iop_Shl64, check->loads, IRExpr_Const(IRConst_U8(1)))));
    }
    guard = Assign(out, Ity_I1, IRExpr_Unop(Iop_CmpNEZ64, differs));
  }
  AddCall(out, "flow_sparse_pass_lines", &PassLines, place, record, guard);
}

void flow_sparse_add_whole(IRSB* out, IRExpr* place, IRExpr* full, IRExpr* taken,
                           const struct flow_sparse_record* record) {
  IRExpr* guard = IsZero(out, full);
  if (taken != NULL) {
    IRExpr* both = Binary(out, Iop_And64, Assign(out, Ity_I64, IRExpr_Unop(Iop_1Uto64, guard)),
                          Assign(out, Ity_I64, IRExpr_Unop(Iop_1Uto64, taken)));
    guard = Assign(out, Ity_I1, IRExpr_Unop(Iop_CmpNEZ64, both));
  }
  AddCall(out, "flow_sparse_pass_whole", &PassWhole, place, record, guard);
}
