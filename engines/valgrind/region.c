/* region.c: each thread remembers the frame in which it entered the region, and leaves when that
 * frame returns. */
#include "region.h"

#include <stddef.h>

#include "emit.h"
#include "libvex_guest_arm64.h"
#include "recording.h"

static struct region region;

#if defined(VGA_amd64)
/* `ret` has popped the return address when control leaves, so the stack pointer is 8 higher than at
 * entry. */
enum { kOffsetReturn = -1, kPoppedByReturn = 8 };
#else
enum { kOffsetReturn = offsetof(VexGuestARM64State, guest_X30), kPoppedByReturn = 0 };
#endif

void region_set(const struct region* wanted) { region = *wanted; }
Bool region_is_set(void) { return region.inode != 0; }

void region_start_thread(ThreadId thread) {
  const ULong words[2] = {~0ULL, ~0ULL};
  VG_(set_shadow_regs_area)(thread, 1, kShadowFrame, sizeof words, (const UChar*)words);
}

Addr region_start_near(Addr address) {
  if (!region_is_set()) return 0;
  const struct mapped_file file = recording_object_at(address);
  if (file.inode != region.inode || file.device != region.device) return 0;
  if (region.offset < file.offset || region.offset - file.offset >= file.end - file.start) return 0;
  return file.start + (region.offset - file.offset);
}

static IRExpr* ReturnAddress(IRSB* out, IRExpr* stack_pointer) {
  if (kOffsetReturn < 0) {
    return Assign(out, Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, stack_pointer));
  }
  return Get(out, kOffsetReturn);
}

static void PutUnless(IRSB* out, IRExpr* inside, Int place, IRExpr* value) {
  IRExpr* kept = Get(out, place);
  addStmtToIRSB(out, IRStmt_Put(place, Assign(out, Ity_I64, IRExpr_ITE(inside, kept, value))));
}

/* Remembers the stack pointer and return address, unless the thread is already inside. */
void region_add_entry(IRSB* out, const VexGuestLayout* layout) {
  const Int shadow = layout->total_sizeB;
  IRExpr* word = Get(out, shadow + kShadowInside);
  IRExpr* inside = Assign(out, Ity_I1, IRExpr_Binop(Iop_CmpNE64, word, Number(0)));
  IRExpr* stack_pointer = Get(out, layout->offset_SP);
  PutUnless(out, inside, shadow + kShadowFrame, stack_pointer);
  PutUnless(out, inside, shadow + kShadowReturn, ReturnAddress(out, stack_pointer));
  addStmtToIRSB(out, IRStmt_Put(shadow + kShadowInside, Number(1)));
  IRExpr* entries = Number((ULong)&recording_header()->region_entries);
  IRExpr* before = Assign(out, Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, entries));
  IRExpr* fresh = Binary(out, Iop_Sub64, Number(1), word);
  addStmtToIRSB(out, IRStmt_Store(Iend_LE, entries, Binary(out, Iop_Add64, before, fresh)));
}

/* Leaves the region when control goes to the remembered return address with the stack pointer of
 * the remembered frame or above. */
void region_add_return(IRSB* out, const VexGuestLayout* layout, IRExpr* next) {
  const Int shadow = layout->total_sizeB;
  IRExpr* to = next->tag == Iex_Const ? next : Assign(out, Ity_I64, next);
  IRExpr* back = Get(out, shadow + kShadowReturn);
  IRExpr* frame = Get(out, shadow + kShadowFrame);
  IRExpr* least = Binary(out, Iop_Add64, frame, Number(kPoppedByReturn));
  IRExpr* now = Get(out, layout->offset_SP);
  IRExpr* same = Assign(out, Ity_I1, IRExpr_Binop(Iop_CmpEQ64, to, back));
  IRExpr* above = Assign(out, Ity_I1, IRExpr_Binop(Iop_CmpLE64U, least, now));
  IRExpr* left = Binary(out, Iop_And64, Assign(out, Ity_I64, IRExpr_Unop(Iop_1Uto64, same)),
                        Assign(out, Ity_I64, IRExpr_Unop(Iop_1Uto64, above)));
  IRExpr* word = Get(out, shadow + kShadowInside);
  IRExpr* stays = Binary(out, Iop_Xor64, left, Number(1));
  addStmtToIRSB(out, IRStmt_Put(shadow + kShadowInside, Binary(out, Iop_And64, word, stays)));
}
