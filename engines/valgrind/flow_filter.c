/* flow_filter.c: instrumented code only compares accesses with the table of lines, which is
 * constant during a block. If any comparison fails, a call repeats the block's accesses from its
 * record. */
#include "flow_filter.h"

#include <stddef.h>

#include "emit.h"
#include "flow.h"

/* An entry is the address of a line, plus kClean if a store to it has to be recorded. */
#define kClean (1ULL << 63)
/* In no line and no page: the distance from any address below kMaxAddress is larger. */
#define kEmpty (1ULL << 62)
#define kMaxAddress (1ULL << 62)

enum { kPlaceCursor = kShadowFlow + offsetof(struct flow_words, cursor) };

static struct tare_flow_filter filter;
static Bool has_bursts;
static ULong force; /* 1: drop nothing */

/* By entry: the line used last, and the address of the page used last. */
static ULong lines[TARE_FLOW_MAX_LINES];
static ULong pages[TARE_FLOW_MAX_PAGES];

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
  Bool unusual; /* guarded accesses, or accesses longer than a line */
  struct examined_access access[];
};

/* VG_(fmsg_bad_option) alone returns. */
static void Refuse(const HChar* option, const HChar* expected) {
  VG_(fmsg_bad_option)(option, "%s\n", expected);
  VG_(exit)(1);
}

void flow_filter_numbers(const HChar* option, const HChar* text, UInt count, ULong* numbers) {
  for (UInt i = 0; i < count; ++i) {
    HChar* rest = NULL;
    const Long value = VG_(strtoll10)(text, &rest);
    if (rest == text || value < 0 || *rest != (i + 1 == count ? 0 : ':')) {
      Refuse(option, "numbers separated by colons expected");
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
    Refuse("--flow-filter, --flow-pages", "possible numbers expected");
  }
  filter = (struct tare_flow_filter){.line_shift = (UInt)line,
                                     .index_shift = (UInt)index,
                                     .entries = (UInt)entries,
                                     .page_shift = (UInt)page,
                                     .page_entries = (UInt)page_entries,
                                     .dirty = dirty};
}

const struct tare_flow_filter* flow_filter(void) { return &filter; }

void flow_filter_set_groups(ULong groups) { filter.groups = groups; }

void flow_filter_clear(void) {
  for (UInt i = 0; i < filter.entries; ++i) lines[i] = kEmpty;
  for (UInt i = 0; i < filter.page_entries; ++i) pages[i] = kEmpty;
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

/* The distance of the address from the line or page that its entry of the table contains. */
static IRExpr* DistanceFrom(IRSB* out, const ULong* table, UInt entries, UInt shift,
                            IRExpr* address) {
  IRExpr* place;
  if (address->tag == Iex_Const) {
    place = Number((ULong)&table[address->Iex.Const.con->Ico.U64 >> shift & (entries - 1)]);
  } else {
    IRExpr* shifted = Shifted(out, Iop_Shr64, address, shift - 3);
    IRExpr* offset = Binary(out, Iop_And64, shifted, Number(8ULL * (entries - 1)));
    place = Binary(out, Iop_Add64, offset, Number((ULong)table));
  }
  IRExpr* entry = Assign(out, Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, place));
  return Binary(out, Iop_Sub64, address, entry);
}

static IRExpr* DistanceFromLine(IRSB* out, IRExpr* address) {
  return DistanceFrom(out, lines, filter.entries, filter.index_shift, address);
}

static void Include(IRSB* out, IRExpr** all, IRExpr* bits) {
  *all = *all == NULL ? bits : Binary(out, Iop_Or64, *all, bits);
}

static void AddCheck(IRSB* out, const struct flow_touch* touch, struct flow_check* check) {
  const Bool store = touch->group_store && filter.dirty != 0;
  IRExpr** all = store ? &check->stores : &check->loads;
  const ULong bytes = (ULong)(touch->group_end - touch->group_begin);
  const Bool several = bytes != touch->access.bytes;
  IRExpr* first = PlusConstant(out, touch->address, (ULong)touch->group_begin);
  IRExpr* distance = DistanceFromLine(out, first);
  Include(out, all, distance);
  if (several) {
    Include(out, all, DistanceFromLine(out, PlusConstant(out, first, bytes - 1)));
  } else if (bytes > 1) {
    Include(out, all, Binary(out, Iop_Add64, distance, Number(bytes - 1)));
  }
  if (filter.page_entries == 0) return;
  IRExpr* in_page = DistanceFrom(out, pages, filter.page_entries, filter.page_shift, first);
  Include(out, &check->pages, in_page);
  if (several) Include(out, &check->pages, Binary(out, Iop_Add64, in_page, Number(bytes - 1)));
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
  examined->unusual = False;
  for (UInt i = 0; i < record->touches; ++i) {
    const struct flow_touch* touch = &record->touch[i];
    examined->access[i] = (struct examined_access){.offset = touch->access.offset,
                                                   .bytes = touch->access.bytes,
                                                   .word = touch->access.word,
                                                   .store = touch->is_store && filter.dirty != 0,
                                                   .guarded = touch->is_guarded};
    if (touch->is_guarded || touch->access.bytes > 1U << filter.line_shift) {
      examined->unusual = True;
    }
  }
  return examined;
}

/* Returns bits that are set if the use of the line at this address changed the tables. There is no
 * branch that the processor could mispredict. */
static inline ULong UseLine(ULong line, Bool store) {
  ULong* entry = &lines[line >> filter.index_shift & (filter.entries - 1)];
  const ULong differs = line ^ *entry;
  const ULong clean = filter.dirty != 0 && differs != 0 ? kClean : 0;
  *entry = store ? line : line | clean;
  ULong changed = store ? differs : differs << 1;
  if (filter.page_entries != 0) {
    const ULong page = line >> filter.page_shift;
    ULong* page_entry = &pages[page & (filter.page_entries - 1)];
    changed |= *page_entry ^ page << filter.page_shift;
    *page_entry = page << filter.page_shift;
  }
  return changed;
}

/* For an access no longer than a line. */
static inline ULong Use(const struct examined_access* access, ULong address) {
  const ULong line_mask = ~((1ULL << filter.line_shift) - 1);
  const ULong last = address + access->bytes - 1;
  const ULong changed = UseLine(address & line_mask, access->store);
  if (((address ^ last) & line_mask) == 0) return changed;
  return UseLine(last & line_mask, access->store) | changed;
}

static ULong ExamineUnusual(const ULong* words, const struct flow_examined* examined) {
  ULong changed = 0;
  for (UInt i = 0; i < examined->accesses; ++i) {
    const struct examined_access* access = &examined->access[i];
    const ULong word = access->word == 0 ? 0 : words[access->word];
    if (access->guarded && word == 0) continue;
    if (access->bytes <= 1U << filter.line_shift) {
      changed |= Use(access, word + access->offset);
    } else {
      flow_filter_clear();
      changed = 1;
    }
  }
  return changed;
}

/* Returns bits that are set if any access of the record changed the tables. */
static ULong Examine(const ULong* words, const struct flow_examined* examined) {
  if (examined->unusual) return ExamineUnusual(words, examined);
  ULong changed = 0;
  const struct examined_access* end = examined->access + examined->accesses;
  for (const struct examined_access* access = examined->access; access != end; ++access) {
    const ULong word = access->word == 0 ? 0 : words[access->word];
    changed |= Use(access, word + access->offset);
  }
  return changed;
}

/* The cursor that the call found. On AArch64, VEX can neither pass the guest state to a call, so
 * that it could put the cursor there, nor return a value from a conditional call. */
static ULong moved;

/* Called by instrumented code, with the cursor after the first word. */
static void ExamineEnd(ULong cursor, const struct flow_examined* examined) {
  ULong* words = (ULong*)cursor - 1;
  moved = cursor;
  if ((Examine(words, examined) | force) == 0) return;
  words[0] &= ~TARE_FLOW_UNCHANGED;
  moved = cursor + 8ULL * (examined->words - 1);
}

static void ExamineWhole(ULong cursor, const struct flow_examined* examined) {
  Examine((const ULong*)cursor - examined->words, examined);
}

void flow_filter_add_end(IRSB* out, Int shadow, const struct flow_check* check,
                         const struct flow_examined* examined) {
  IRExpr* cursor = Get(out, shadow + kPlaceCursor);
  IRDirty* call = unsafeIRDirty_0_N(0, "flow_filter_examine", VG_(fnptr_to_fnentry)(&ExamineEnd),
                                    mkIRExprVec_2(cursor, Number((ULong)(Addr)examined)));
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
    if (check->pages != NULL) {
      Include(out, &differs, Shifted(out, Iop_Shr64, check->pages, filter.page_shift));
    }
    call->guard = Assign(out, Ity_I1, IRExpr_Unop(Iop_CmpNEZ64, differs));
  }
  addStmtToIRSB(out, IRStmt_Dirty(call));
  IRExpr* found = Assign(out, Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, Number((ULong)&moved)));
  if (!check->always) found = Assign(out, Ity_I64, IRExpr_ITE(call->guard, found, cursor));
  addStmtToIRSB(out, IRStmt_Put(shadow + kPlaceCursor, found));
}

void flow_filter_add_update(IRSB* out, Int shadow, const struct flow_examined* examined) {
  IRExpr* cursor = Get(out, shadow + kPlaceCursor);
  addStmtToIRSB(out, IRStmt_Dirty(unsafeIRDirty_0_N(
                         0, "flow_filter_update", VG_(fnptr_to_fnentry)(&ExamineWhole),
                         mkIRExprVec_2(cursor, Number((ULong)(Addr)examined)))));
}
