/* flow_sparse.c: instrumented code compares accesses with a table of lines under a mask, which is 0
 * for groups that do not matter, and has all bits set in a window. A call decides, passes lines on,
 * and writes records. */
#include "flow_sparse.h"

#include "emit.h"
#include "flow.h"
#include "format/flow_wire.h"

/* In no line: the distance from any address below 1 << 62 is larger. */
#define kEmpty (1ULL << 62)

enum { kMaxGroups = 64, kEntryShift = 5 };

struct entry {
  ULong line; /* used last */
  ULong mask; /* of the bits in which another line differs; 0: the group does not matter now */
  ULong line_for_stores; /* kEmpty if a store to the line has to be passed on */
  ULong unused;
};
_Static_assert(sizeof(struct entry) == 1 << kEntryShift, "instrumented code computes its place");

static ULong groups;
static struct entry table[kMaxGroups];
/* Of the filter. */
static UInt line_shift;
static UInt index_shift;
static ULong last_group;
static Bool marks_dirty;
static Bool window_is_open;

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

/* A range of addresses that was compared: the value of `root` plus `begin`, or `begin` itself. */
struct range {
  IRTemp root;
  ULong begin;
  ULong bytes;
  Bool store; /* also passes on the first store */
};

/* The superblock that is being translated. */
enum { kMaxRanges = 64 };
static struct {
  struct flow_record all; /* its accesses */
  IRExpr* differs; /* NULL: nothing compared yet. Bits that are set unless everything that was
                      compared repeats */
  Bool always;     /* an access of the record cannot be compared */
  UInt checked;
  struct range range[kMaxRanges];
} code;

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
  window_is_open = open;
  for (ULong i = 0; i <= last_group; ++i) {
    const ULong mask = (groups >> i & 1) != 0 ? ~((1ULL << line_shift) - 1) : 0;
    table[i] = (struct entry){kEmpty, open ? ~0ULL : mask, kEmpty, 0};
  }
}

/* `offset`: NULL if it is 0. */
static IRExpr* LoadAt(IRSB* out, IRExpr* offset, const ULong* base) {
  IRExpr* place = Number((ULong)(Addr)base);
  if (offset != NULL) place = Binary(out, Iop_Add64, offset, place);
  return Assign(out, Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, place));
}

/* Bits that are set if the access is in another line than the one used last, or in two. */
static IRExpr* Differs(IRSB* out, IRExpr* address, ULong bytes, Bool store) {
  const struct entry* first = &table[0];
  IRExpr* offset = NULL;
  if (address->tag == Iex_Const) {
    first = &table[address->Iex.Const.con->Ico.U64 >> index_shift & last_group];
  } else {
    IRExpr* shift = IRExpr_Const(IRConst_U8((UChar)(index_shift - kEntryShift)));
    IRExpr* shifted = index_shift == kEntryShift
                          ? address
                          : Assign(out, Ity_I64, IRExpr_Binop(Iop_Shr64, address, shift));
    offset = Binary(out, Iop_And64, shifted, Number(last_group << kEntryShift));
  }
  IRExpr* line = LoadAt(out, offset, store ? &first->line_for_stores : &first->line);
  IRExpr* bits = Binary(out, Iop_Sub64, address, line);
  if (bytes > 1) {
    bits = Binary(out, Iop_Or64, bits, Binary(out, Iop_Add64, bits, Number(bytes - 1)));
  }
  return Binary(out, Iop_And64, bits, LoadAt(out, offset, &first->mask));
}

static Bool IsPassed(const struct flow_touch* touch) { return touch->group_store && marks_dirty; }

static IRExpr* Plus(IRSB* out, IRExpr* value, ULong constant) {
  if (constant == 0) return value;
  if (value->tag == Iex_Const) return Number(value->Iex.Const.con->Ico.U64 + constant);
  return Binary(out, Iop_Add64, value, Number(constant));
}

/* The group's first access, whose range is extended by accesses of later blocks. They do not add
 * stores, which would have to be passed on until the first one is reached. */
static void Widen(struct flow_touch* leader) {
  const Long line_bytes = 1LL << line_shift;
  for (UInt i = 0; i < code.all.touches; ++i) {
    const struct flow_touch* other = &code.all.touch[i];
    if (other->statement <= leader->statement || other->is_guarded) continue;
    if (other->root != leader->root || (other->is_store && !leader->group_store)) continue;
    const Long at = (Long)(other->distance - leader->distance);
    if (at < -line_bytes || at > line_bytes || other->access.bytes > line_bytes) continue;
    const Long least = at < leader->group_begin ? at : leader->group_begin;
    const Long end = at + other->access.bytes;
    const Long most = end > leader->group_end ? end : leader->group_end;
    if (most - least > line_bytes) continue;
    leader->group_begin = least;
    leader->group_end = most;
  }
}

void flow_sparse_begin_superblock(const IRSB* in) {
  flow_plan_all(in, &code.all);
  code.differs = NULL;
  code.always = False;
  code.checked = 0;
}

void flow_sparse_begin_record(struct flow_record* record) {
  flow_filter_group(record);
  for (UInt i = 0; i < record->touches; ++i) {
    if (record->touch[i].group == i) Widen(&record->touch[i]);
  }
}

static Bool WasChecked(IRTemp root, ULong begin, ULong bytes, Bool store) {
  for (UInt i = 0; i < code.checked; ++i) {
    const struct range* range = &code.range[i];
    if (range->root != root || (store && !range->store) || bytes > range->bytes) continue;
    if (begin - range->begin <= range->bytes - bytes) return True;
  }
  return False;
}

static void Include(IRSB* out, IRExpr* bits) {
  code.differs = code.differs == NULL ? bits : Binary(out, Iop_Or64, code.differs, bits);
}

static void AddCheck(IRSB* out, const struct flow_touch* touch) {
  const Bool store = IsPassed(touch);
  const ULong bytes = (ULong)(touch->group_end - touch->group_begin);
  const ULong begin = touch->distance + (ULong)touch->group_begin;
  if (WasChecked(touch->root, begin, bytes, store)) return;
  if (code.checked < kMaxRanges) {
    code.range[code.checked++] = (struct range){touch->root, begin, bytes, store};
  }
  IRExpr* first = Plus(out, touch->address, (ULong)touch->group_begin);
  if (bytes == touch->access.bytes) {
    Include(out, Differs(out, first, bytes, store));
  } else {
    Include(out, Differs(out, first, 1, store));
    Include(out, Differs(out, Plus(out, first, bytes - 1), 1, store));
  }
}

void flow_sparse_add_checks(IRSB* out, const struct flow_record* record, Int statement) {
  for (UInt i = 0; i < record->touches; ++i) {
    const struct flow_touch* touch = &record->touch[i];
    if (touch->statement != statement) continue;
    if (touch->group == i) AddCheck(out, touch);
    if (touch->group == kUngrouped) code.always = True;
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

static inline struct entry* EntryOf(ULong address) {
  return &table[address >> index_shift & last_group];
}

/* Updates the table; passes the line on if `passed` is not NULL. */
static inline void UseLine(ULong line, Bool store, ULong further, struct passed* passed) {
  struct entry* entry = EntryOf(line);
  if (entry->mask == 0) return;
  if ((store ? entry->line_for_stores : entry->line) == line) return;
  entry->line = line;
  entry->line_for_stores = store || !marks_dirty ? line : kEmpty;
  if (passed == NULL) return;
  passed->to[1 + passed->lines++] = line | (store ? TARE_FLOW_LINE_STORE : 0) | further;
  if (passed->lines == TARE_FLOW_MAX_LINE_WORDS) Pass(passed);
}

static inline void UseLines(const struct flow_sparse_record* record, struct passed* passed) {
  const ULong* words = flow_record_words();
  const ULong bytes = 1ULL << line_shift;
  for (UInt i = 0; i < record->accesses; ++i) {
    const struct sparse_access* access = &record->access[i];
    const ULong word = access->word == 0 ? 0 : words[access->word];
    if (access->guarded && word == 0) continue;
    const ULong address = word + access->offset;
    if (EntryOf(address)->mask == 0) continue;
    const ULong last = (address + access->bytes - 1) & ~(bytes - 1);
    ULong line = address & ~(bytes - 1);
    UseLine(line, access->store, 0, passed);
    while (line != last) UseLine(line += bytes, access->store, TARE_FLOW_LINE_FURTHER, passed);
  }
}

static void WriteRecord(const struct flow_sparse_record* record) {
  const ULong* words = flow_record_words();
  ULong* to = flow_place();
  to[0] = record->number;
  for (UInt i = 1; i < record->words; ++i) to[i] = words[i];
  flow_advance(record->words);
}

/* The following are called by instrumented code. */
static void EndRecord(const struct flow_sparse_record* record) {
  if (window_is_open) {
    WriteRecord(record);
  } else {
    struct passed passed = {record->number, flow_place(), 0};
    UseLines(record, &passed);
    Pass(&passed);
  }
}

static void EndWhole(const struct flow_sparse_record* record) {
  if (!window_is_open) UseLines(record, NULL);
  WriteRecord(record);
}

static void EndWithoutAccesses(ULong number) {
  *flow_place() = number;
  flow_advance(1);
}

static void AddCall(IRSB* out, const HChar* name, void* function, ULong argument, IRExpr* guard) {
  IRDirty* call =
      unsafeIRDirty_0_N(1, name, VG_(fnptr_to_fnentry)(function), mkIRExprVec_1(Number(argument)));
  if (guard != NULL) call->guard = guard;
  addStmtToIRSB(out, IRStmt_Dirty(call));
}

static IRExpr* IsNotZero(IRSB* out, IRExpr* value) {
  return Assign(out, Ity_I1, IRExpr_Unop(Iop_CmpNEZ64, value));
}

/* The call may change the table without any bit of `differs` being set. */
static void ForgetChecks(void) {
  code.differs = NULL;
  code.always = False;
  code.checked = 0;
}

/* A later block relies on the comparisons of earlier ones of its superblock. They hold as long as
 * no line was passed on, so it makes a call whenever an earlier one did. */
void flow_sparse_add_end(IRSB* out, const struct flow_sparse_record* record) {
  IRExpr* guard = code.always ? NULL : IsNotZero(out, code.differs);
  AddCall(out, "flow_sparse_end_record", &EndRecord, (ULong)(Addr)record, guard);
  if (code.always) ForgetChecks();
}

void flow_sparse_add_whole(IRSB* out, IRExpr* taken, const struct flow_sparse_record* record) {
  AddCall(out, "flow_sparse_end_whole", &EndWhole, (ULong)(Addr)record, taken);
  ForgetChecks();
}

void flow_sparse_add_without_accesses(IRSB* out, IRExpr* full, ULong number) {
  AddCall(out, "flow_sparse_end_without_accesses", &EndWithoutAccesses, number,
          IsNotZero(out, full));
}
