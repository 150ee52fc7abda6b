/* core.h: functions of Valgrind's core that every tool is linked with but no public header
 * declares. */
#pragma once

#include "libvex.h"
#include "pub_tool_aspacemgr.h"
#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

extern SysRes VG_(do_syscall)(UWord number, UWord a1, UWord a2, UWord a3, UWord a4, UWord a5,
                              UWord a6, UWord a7, UWord a8);
extern SysRes VG_(am_shared_mmap_file_float_valgrind)(SizeT length, UInt prot, Int fd,
                                                      Off64T offset);
extern Int VG_(safe_fd)(Int fd);
extern Addr VG_(am_get_advisory_client_simple)(Addr start, SizeT length, Bool* found);
extern SysRes VG_(am_mmap_anon_fixed_client)(Addr start, SizeT length, UInt prot);
extern Bool VG_(am_extend_into_adjacent_reservation_client)(Addr start, SSizeT delta,
                                                            Bool* overflow);
extern Addr VG_(brk_base);  /* start of the program's heap */
extern Addr VG_(brk_limit); /* end of the program's heap */
extern Bool VG_(extend_stack)(ThreadId thread, Addr address);
extern void VG_(set_SP)(ThreadId thread, Addr pointer);
extern void VG_(discard_translations)(Addr start, ULong bytes, const HChar* who);
