/* flow_filter.h: drops the addresses of records whose accesses all repeat the last use of their
 * line and page. docs/formats/flow.md defines the filter. */
#pragma once

#include "core.h"
#include "flow_access.h"
#include "format/flow_wire.h"

/* The numbers of an option, which must be separated by colons; exits with a message if they are
 * not. */
void flow_filter_numbers(const HChar* option, const HChar* text, UInt count, ULong* numbers);

/* Sets the filter before any code is instrumented; exits with a message on invalid numbers. A text
 * is NULL if its option was not given. `shape` is LINE:INDEX:ENTRIES, `pages` is PAGE:ENTRIES.
 * `bursts`: whether flow_filter_force will be called. */
void flow_filter_set(const HChar* shape, const HChar* pages, Bool dirty, Bool bursts);

/* The filter; no entries: nothing is dropped. */
const struct tare_flow_filter* flow_filter(void);

/* Only these entries are looked at, which makes the flow sparse (flow_sparse.h). */
void flow_filter_set_groups(ULong groups);

/* Empties the tables. */
void flow_filter_clear(void);

/* While forced, no record drops its addresses. The tables are still updated. */
void flow_filter_force(Bool forced);

/* State of the check that instrumented code makes for one record. */
struct flow_check {
  IRExpr* loads;  /* NULL: none yet. Bits that are set unless all loads so far repeat */
  IRExpr* stores; /* the same for stores */
  IRExpr* pages;  /* the same for the pages of both */
  Bool always;    /* an access has to be examined by flow_filter_examine */
};

/* Assigns the accesses of a planned record, none of which may be guarded, to groups that one check
 * covers. */
void flow_filter_group(struct flow_record* record);

/* Adds the checks of the accesses of `statement` to `out`. */
void flow_filter_add_checks(IRSB* out, const struct flow_record* record, Int statement,
                            struct flow_check* check);

/* The engine's own description of a record with accesses, which lives as long as the process. */
struct flow_examined;
struct flow_examined* flow_filter_describe(const struct flow_record* record);

/* Adds the end of a record, of which the cursor includes the first word only, with
 * TARE_FLOW_UNCHANGED. If the checks did not pass, a call decides, and updates the tables. `shadow`
 * is the offset of the first shadow state. The cursor must be read again afterwards. */
void flow_filter_add_end(IRSB* out, Int shadow, const struct flow_check* check,
                         const struct flow_examined* examined);

/* Adds an update of the tables by a record of which the cursor includes all words. */
void flow_filter_add_update(IRSB* out, Int shadow, const struct flow_examined* examined);
