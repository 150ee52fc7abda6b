/* flow_sparse.h: between the windows of a sparse flow, blocks leave only the lines of chosen groups
 * that they use and that do not repeat. docs/formats/flow.md defines it. */
#pragma once

#include "core.h"
#include "flow_access.h"
#include "flow_filter.h"

/* Makes the flow sparse: looks at these entries of the filter's table of lines, a bit each; 0: the
 * flow has records of all blocks. To be called after flow_filter_set(). Exits with a message on
 * invalid numbers. */
void flow_sparse_set(ULong groups);
Bool flow_is_sparse(void);

/* Opens or closes a window. When it closes, nothing is known of the lines used last. */
void flow_sparse_open_window(Bool open);

/* To be called before the first record of a superblock. */
void flow_sparse_begin_superblock(const IRSB* in);

/* To be called before a record with accesses, none of which are guarded. */
void flow_sparse_begin_record(struct flow_record* record);

/* Adds the checks of the accesses of `statement` to `out`. */
void flow_sparse_add_checks(IRSB* out, const struct flow_record* record, Int statement);

/* The engine's own description of a record with accesses, which lives as long as the process. */
struct flow_sparse_record;
struct flow_sparse_record* flow_sparse_describe(const struct flow_record* record, ULong number);

/* Adds the end of a record, of which all words but the first are at the cursor. In a window, a call
 * writes the record; between windows, it passes lines on, if there are any. */
void flow_sparse_add_end(IRSB* out, const struct flow_sparse_record* record);

/* The same for a record with guarded accesses, which is always written; before an exit in its
 * middle, only if `taken`, the condition of the exit, holds. NULL: no exit. */
void flow_sparse_add_whole(IRSB* out, IRExpr* taken, const struct flow_sparse_record* record);

/* The same for a record without accesses. `full` is not 0 in a window. */
void flow_sparse_add_without_accesses(IRSB* out, IRExpr* full, ULong number);
