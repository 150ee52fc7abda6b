/* blocks.c: finds where blocks start and end; counting and flow instrumentation share it. */
#include "blocks.h"

#include "engines/instruction_ends.h"
#include "format/wire.h"

Bool blocks_is_repeated(const IRStmt* mark) {
#if defined(VGA_amd64)
  return tare_x86_is_repeated((const UChar*)mark->Ist.IMark.addr, mark->Ist.IMark.len);
#else
  return False;
#endif
}

Bool blocks_is_conditional(const IRStmt* mark) {
#if defined(VGA_amd64)
  return tare_x86_end((const UChar*)mark->Ist.IMark.addr, mark->Ist.IMark.len) ==
         TARE_END_CONDITIONAL;
#else
  return tare_a64_end(*(const UInt*)mark->Ist.IMark.addr) == TARE_END_CONDITIONAL;
#endif
}

Bool blocks_is_branch(const IRStmt* statement, const IRStmt* mark) {
  return statement->tag == Ist_Exit && statement->Ist.Exit.jk == Ijk_Boring && mark != NULL &&
         (blocks_is_conditional(mark) || blocks_is_repeated(mark));
}

static struct block_span RepeatedSpan(const IRSB* in, Int first) {
  const IRStmt* mark = in->stmts[first];
  struct block_span span = {.start = mark->Ist.IMark.addr,
                            .bytes = mark->Ist.IMark.len,
                            .instructions = 1,
                            .flags = TARE_WIRE_REPEATED,
                            .past = first + 1};
  while (span.past < in->stmts_used && in->stmts[span.past]->tag != Ist_IMark) ++span.past;
  return span;
}

struct block_span blocks_span(const IRSB* in, Int first, Addr region_start) {
  if (blocks_is_repeated(in->stmts[first])) return RepeatedSpan(in, first);
  const IRStmt* last = in->stmts[first];
  struct block_span span = {.start = last->Ist.IMark.addr, .past = first};
  Addr end = span.start;
  for (; span.past < in->stmts_used; ++span.past) {
    const IRStmt* statement = in->stmts[span.past];
    if (blocks_is_branch(statement, last)) break;
    if (statement->tag != Ist_IMark) continue;
    const Addr here = statement->Ist.IMark.addr;
    const Bool goes_on = here == end && !blocks_is_repeated(statement);
    if (span.instructions > 0 && (!goes_on || here == region_start)) break;
    end = here + statement->Ist.IMark.len;
    last = statement;
    ++span.instructions;
  }
  span.bytes = (UInt)(end - span.start);
  span.flags = blocks_is_conditional(last) ? TARE_WIRE_CONDITIONAL : 0;
  return span;
}

enum repeated_start blocks_repeated_start(const IRSB* in, Int mark) {
  const Addr self = in->stmts[mark]->Ist.IMark.addr;
  for (Int i = mark + 1; i < in->stmts_used && in->stmts[i]->tag != Ist_IMark; ++i) {
    const IRStmt* statement = in->stmts[i];
    if (statement->tag == Ist_Store || statement->tag == Ist_StoreG) return kOperation;
    if (statement->tag == Ist_WrTmp && statement->Ist.WrTmp.data->tag == Iex_Load) {
      return kOperation;
    }
    if (blocks_is_branch(statement, in->stmts[mark])) {
      return statement->Ist.Exit.dst->Ico.U64 == self ? kOperation : kTest;
    }
  }
  return kNothing;
}

Bool blocks_goes_to(const IRSB* in, Addr address) {
  return in->next->tag == Iex_Const && in->next->Iex.Const.con->Ico.U64 == address;
}
