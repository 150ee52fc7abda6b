/* flow_filter.c: instrumented code only compares accesses with the table of lines, which is
 * constant during a block. If any comparison fails, a call repeats the block's accesses from its
 * record. */
#include "flow_filter.h"

#include <stddef.h>

#include "emit.h"
#include "flow.h"

/* An entry is the address of a line, plus kClean if a store to it has to be recorded. */
#define kClean (1ULL << 63)
/* In no line: the distance from any address below kMaxAddress is more than a line. */
#define kEmpty (1ULL << 62)
#define kMaxAddress (1ULL << 62)
#define kNoPage (~0ULL)

enum { kPlaceCursor = kShadowFlow + offsetof(struct flow_words, cursor) };

static struct tare_flow_filter filter;
static Bool has_bursts;
static ULong force; /* 1: drop nothing */

/* By entry: the line used last. Instrumented code reads only `seen`, whose entries are either empty
 * or equal to those of `lines`; then the line's page is the one used last in its entry, too. */
static ULong lines[TARE_FLOW_MAX_LINES];
static ULong seen[TARE_FLOW_MAX_LINES];
/* By entry: the page used last, and the entries of `seen` that may contain lines of that page, by
 * their highest six bits. */
static ULong pages[TARE_FLOW_MAX_PAGES];
static ULong page_lines[TARE_FLOW_MAX_PAGES];
static UInt group_shift; /* of an entry's number: what is left are six bits or fewer */

struct examined_access {
  ULong offset;
  UInt bytes;
  UShort word;
  Bool store;
  Bool guarded;
};

struct flow_examined {
  UInt words;
  UInt accesses;
  struct examined_access access[];
};

void flow_filter_numbers(const HChar* option, const HChar* text, UInt count, ULong* numbers) {
  for (UInt i = 0; i < count; ++i) {
    HChar* rest = NULL;
    const Long value = VG_(strtoll10)(text, &rest);
    if (rest == text || value < 0 || *rest != (i + 1 == count ? 0 : ':')) {
      VG_(fmsg_bad_option)(option, "%u numbers separated by colons expected\n", count);
    }
    numbers[i] = (ULong)value;
    text = rest + 1;
  }
}

static Bool IsPowerOfTwo(ULong value) { return value != 0 && (value & (value - 1)) == 0; }

void flow_filter_set(const HChar* shape, const HChar* page_shape, Bool dirty, Bool bursts) {
  has_bursts = bursts;
  if (shape == NULL) return;
  ULong of_lines[3];
  ULong of_pages[2] = {0, 0};
  flow_filter_numbers("--flow-filter", shape, 3, of_lines);
  if (page_shape != NULL) flow_filter_numbers("--flow-pages", page_shape, 2, of_pages);
  const ULong line = of_lines[0];
  const ULong index = of_lines[1];
  const ULong entries = of_lines[2];
  const ULong page = of_pages[0];
  const ULong page_entries = of_pages[1];
  const Bool lines_valid = line >= 3 && line <= index && index <= 32 && IsPowerOfTwo(entries) &&
                           entries <= TARE_FLOW_MAX_LINES;
  const Bool pages_valid =
      page_entries == 0 || (page >= line && page <= 32 && IsPowerOfTwo(page_entries) &&
                            page_entries <= TARE_FLOW_MAX_PAGES);
  if (!lines_valid || !pages_valid) {
    VG_(fmsg_bad_option)("--flow-filter, --flow-pages", "impossible numbers\n");
  }
  filter = (struct tare_flow_filter){.line_shift = (UInt)line,
                                     .index_shift = (UInt)index,
                                     .entries = (UInt)entries,
                                     .page_shift = (UInt)page,
                                     .page_entries = (UInt)page_entries,
                                     .dirty = dirty};
  while (entries >> group_shift > 64) ++group_shift;
}

const struct tare_flow_filter* flow_filter(void) { return &filter; }

void flow_filter_clear(void) {
  for (UInt i = 0; i < filter.entries; ++i) lines[i] = seen[i] = kEmpty;
  for (UInt i = 0; i < filter.page_entries; ++i) {
    pages[i] = kNoPage;
    page_lines[i] = 0;
  }
}

void flow_filter_force(Bool forced) { force = forced ? 1 : 0; }

/* The entries of a group are examined by one comparison of their first and last byte, each with its
 * line. This is exact, because a group is no longer than a line. */
void flow_filter_group(struct flow_record* record) {
  const Long line_bytes = 1LL << filter.line_shift;
  for (UInt i = 0; i < record->touches; ++i) record->touch[i].group = kUngrouped;
  for (UInt i = 0; i < record->touches; ++i) {
    struct flow_touch* leader = &record->touch[i];
    if (leader->group != kUngrouped || leader->access.bytes > line_bytes) continue;
    leader->group = i;
    leader->group_store = leader->is_store;
    Long begin = 0;
    Long end = leader->access.bytes;
    for (UInt j = i + 1; j < record->touches; ++j) {
      struct flow_touch* other = &record->touch[j];
      if (other->group != kUngrouped || other->root != leader->root) continue;
      const Long at = (Long)(other->distance - leader->distance);
      if (at < -line_bytes || at > line_bytes || other->access.bytes > line_bytes) continue;
      const Long least = at < begin ? at : begin;
      const Long most = at + other->access.bytes > end ? at + other->access.bytes : end;
      if (most - least > line_bytes) continue;
      begin = least;
      end = most;
      other->group = i;
      leader->group_store |= other->is_store;
    }
    leader->group_begin = begin;
    leader->group_end = end;
  }
}

static IRExpr* Shifted(IRSB* out, IROp op, IRExpr* value, UInt bits) {
  return bits == 0 ? value
                   : Assign(out, Ity_I64, IRExpr_Binop(op, value, IRExpr_Const(IRConst_U8(bits))));
}

static IRExpr* PlusConstant(IRSB* out, IRExpr* value, ULong constant) {
  if (constant == 0) return value;
  if (value->tag == Iex_Const) return Number(value->Iex.Const.con->Ico.U64 + constant);
  return Binary(out, Iop_Add64, value, Number(constant));
}

/* The distance of the address from the line that its entry contains. */
static IRExpr* DistanceFromLine(IRSB* out, IRExpr* address) {
  IRExpr* place;
  if (address->tag == Iex_Const) {
    const ULong entry = address->Iex.Const.con->Ico.U64 >> filter.index_shift;
    place = Number((ULong)&seen[entry & (filter.entries - 1)]);
  } else {
    IRExpr* shifted = Shifted(out, Iop_Shr64, address, filter.index_shift - 3);
    IRExpr* offset = Binary(out, Iop_And64, shifted, Number(8ULL * (filter.entries - 1)));
    place = Binary(out, Iop_Add64, offset, Number((ULong)seen));
  }
  IRExpr* entry = Assign(out, Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, place));
  return Binary(out, Iop_Sub64, address, entry);
}

static void Include(IRSB* out, IRExpr** all, IRExpr* bits) {
  *all = *all == NULL ? bits : Binary(out, Iop_Or64, *all, bits);
}

static void AddCheck(IRSB* out, const struct flow_touch* touch, struct flow_check* check) {
  const Bool store = touch->group_store && filter.dirty != 0;
  IRExpr** all = store ? &check->stores : &check->loads;
  const ULong bytes = (ULong)(touch->group_end - touch->group_begin);
  IRExpr* first = PlusConstant(out, touch->address, (ULong)touch->group_begin);
  IRExpr* distance = DistanceFromLine(out, first);
  Include(out, all, distance);
  if (bytes == 1) return;
  if (bytes == touch->access.bytes) {
    Include(out, all, Binary(out, Iop_Add64, distance, Number(bytes - 1)));
  } else {
    Include(out, all, DistanceFromLine(out, PlusConstant(out, first, bytes - 1)));
  }
}

void flow_filter_add_checks(IRSB* out, const struct flow_record* record, Int statement,
                            struct flow_check* check) {
  for (UInt i = 0; i < record->touches; ++i) {
    const struct flow_touch* touch = &record->touch[i];
    if (touch->statement != statement) continue;
    if (touch->group == i) AddCheck(out, touch, check);
    if (touch->group == kUngrouped) check->always = True;
  }
}

struct flow_examined* flow_filter_describe(const struct flow_record* record) {
  struct flow_examined* examined = VG_(malloc)(
      "tare.flow_filter", sizeof *examined + record->touches * sizeof(struct examined_access));
  examined->words = record->words;
  examined->accesses = record->touches;
  for (UInt i = 0; i < record->touches; ++i) {
    const struct flow_touch* touch = &record->touch[i];
    examined->access[i] = (struct examined_access){.offset = touch->access.offset,
                                                   .bytes = touch->access.bytes,
                                                   .word = touch->access.word,
                                                   .store = touch->is_store && filter.dirty != 0,
                                                   .guarded = touch->is_guarded};
  }
  return examined;
}

/* Makes `page` the one used last in its entry. Lines of the previous page can no longer be compared
 * inline. */
static void ChangePage(ULong page) {
  const ULong entry = page & (filter.page_entries - 1);
  const ULong before = pages[entry];
  for (ULong bits = page_lines[entry]; bits != 0; bits &= bits - 1) {
    const UInt begin = (UInt)__builtin_ctzll(bits) << group_shift;
    for (UInt i = begin; i < begin + (1U << group_shift); ++i) {
      if ((seen[i] & ~kClean) >> filter.page_shift == before) seen[i] = kEmpty;
    }
  }
  page_lines[entry] = 0;
  pages[entry] = page;
}

/* Returns whether the use of the line at this address changed the tables. */
static Bool UseLine(ULong line, Bool store) {
  const ULong index = line >> filter.index_shift & (filter.entries - 1);
  Bool changed = False;
  if (lines[index] != line) {
    const Bool repeats = lines[index] == (line | kClean);
    changed = !repeats || store;
    lines[index] = store || filter.dirty == 0 ? line : line | kClean;
  }
  if (filter.page_entries != 0) {
    const ULong page = line >> filter.page_shift;
    const ULong entry = page & (filter.page_entries - 1);
    if (pages[entry] != page) {
      changed = True;
      ChangePage(page);
    }
    page_lines[entry] |= 1ULL << (index >> group_shift);
  }
  seen[index] = lines[index];
  return changed;
}

static Bool Use(const struct examined_access* access, ULong address) {
  const ULong last = address + access->bytes - 1;
  const ULong line_mask = ~((1ULL << filter.line_shift) - 1);
  if (access->bytes > 1U << filter.line_shift || last >= kMaxAddress || last < address) {
    flow_filter_clear();
    return True;
  }
  const Bool changed = UseLine(address & line_mask, access->store);
  if (((address ^ last) & line_mask) == 0) return changed;
  return UseLine(last & line_mask, access->store) | changed;
}

/* Returns whether any access of the record changed the tables. */
static Bool Examine(const ULong* words, const struct flow_examined* examined) {
  Bool changed = False;
  for (UInt i = 0; i < examined->accesses; ++i) {
    const struct examined_access* access = &examined->access[i];
    const ULong word = access->word == 0 ? 0 : words[access->word];
    if (access->guarded && word == 0) continue;
    changed |= Use(access, word + access->offset);
  }
  return changed;
}

static ULong* CursorOf(UChar* guest, Int shadow) { return (ULong*)(guest + shadow + kPlaceCursor); }

static Int shadow_offset;

/* Called by instrumented code. */
static void ExamineEnd(UChar* guest, const struct flow_examined* examined) {
  ULong* cursor = CursorOf(guest, shadow_offset);
  ULong* words = (ULong*)*cursor - 1;
  if (!Examine(words, examined) && force == 0) return;
  words[0] &= ~TARE_FLOW_UNCHANGED;
  *cursor += 8ULL * (examined->words - 1);
}

static void ExamineWhole(UChar* guest, const struct flow_examined* examined) {
  const ULong* end = (const ULong*)*CursorOf(guest, shadow_offset);
  Examine(end - examined->words, examined);
}

static IRDirty* CallWithGuest(const HChar* name, void* function, Int shadow,
                              const struct flow_examined* examined) {
  shadow_offset = shadow;
  IRDirty* call = unsafeIRDirty_0_N(0, name, VG_(fnptr_to_fnentry)(function),
                                    mkIRExprVec_2(IRExpr_GSPTR(), Number((ULong)(Addr)examined)));
  call->nFxState = 1;
  VG_(memset)(&call->fxState[0], 0, sizeof call->fxState[0]);
  call->fxState[0].fx = Ifx_Modify;
  call->fxState[0].offset = (UShort)(shadow + kPlaceCursor);
  call->fxState[0].size = sizeof(ULong);
  return call;
}

void flow_filter_add_end(IRSB* out, Int shadow, const struct flow_check* check,
                         const struct flow_examined* examined) {
  IRDirty* call = CallWithGuest("flow_filter_examine", &ExamineEnd, shadow, examined);
  if (!check->always) {
    IRExpr* differs = NULL;
    if (has_bursts) {
      differs = Assign(out, Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, Number((ULong)&force)));
    }
    if (check->loads != NULL) {
      /* Without kClean, which does not matter to loads. */
      IRExpr* upper = Shifted(out, Iop_Shl64, check->loads, 1);
      Include(out, &differs, Shifted(out, Iop_Shr64, upper, filter.line_shift + 1));
    }
    if (check->stores != NULL) {
      Include(out, &differs, Shifted(out, Iop_Shr64, check->stores, filter.line_shift));
    }
    call->guard = Assign(out, Ity_I1, IRExpr_Unop(Iop_CmpNEZ64, differs));
  }
  addStmtToIRSB(out, IRStmt_Dirty(call));
}

void flow_filter_add_update(IRSB* out, Int shadow, const struct flow_examined* examined) {
  addStmtToIRSB(out,
                IRStmt_Dirty(CallWithGuest("flow_filter_update", &ExamineWhole, shadow, examined)));
}
