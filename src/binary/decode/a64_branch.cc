// a64_branch.cc: A64 branches, exceptions, hints, barriers and system instructions.
#include "binary/decode/a64.h"

namespace tare::decode {
namespace {

constexpr auto kConditional = Branch(BranchKind::kConditional, A64Shape::kTarget19);
constexpr auto kTestBranch = Branch(BranchKind::kConditional, A64Shape::kTarget14);
constexpr auto kIndirectJump = Branch(BranchKind::kIndirectJump);
constexpr auto kIndirectCall = Branch(BranchKind::kIndirectCall);
constexpr auto kReturn = Branch(BranchKind::kReturn);

// A conditional branch, and the same with the hint that its direction is consistent.
#define CONDITION(bits, name)                                         \
  {"01010100 xxxxxxxxxxxxxxxxxxx 0" bits, "b." name, kConditional}, { \
    "01010100 xxxxxxxxxxxxxxxxxxx 1" bits, "bc." name, kConditional   \
  }

constexpr A64Row kRows[] = {
    {"000101", "b", Branch(BranchKind::kJump, A64Shape::kTarget26)},
    {"100101", "bl", Branch(BranchKind::kCall, A64Shape::kTarget26)},
    CONDITION("0000", "eq"),
    CONDITION("0001", "ne"),
    CONDITION("0010", "cs"),
    CONDITION("0011", "cc"),
    CONDITION("0100", "mi"),
    CONDITION("0101", "pl"),
    CONDITION("0110", "vs"),
    CONDITION("0111", "vc"),
    CONDITION("1000", "hi"),
    CONDITION("1001", "ls"),
    CONDITION("1010", "ge"),
    CONDITION("1011", "lt"),
    CONDITION("1100", "gt"),
    CONDITION("1101", "le"),
    CONDITION("1110", "al"),
    CONDITION("1111", "nv"),
    {"x0110100", "cbz", kConditional},
    {"x0110101", "cbnz", kConditional},
    {"x0110110", "tbz", kTestBranch},
    {"x0110111", "tbnz", kTestBranch},
    {{0xd61f0000, 0xfffffc1f}, "br", kIndirectJump},
    {{0xd63f0000, 0xfffffc1f}, "blr", kIndirectCall},
    {{0xd65f0000, 0xfffffc1f}, "ret", kReturn},
    {{0xd61f081f, 0xfffffc1f}, "braaz", kIndirectJump},
    {{0xd61f0c1f, 0xfffffc1f}, "brabz", kIndirectJump},
    {{0xd71f0800, 0xfffffc00}, "braa", kIndirectJump},
    {{0xd71f0c00, 0xfffffc00}, "brab", kIndirectJump},
    {{0xd63f081f, 0xfffffc1f}, "blraaz", kIndirectCall},
    {{0xd63f0c1f, 0xfffffc1f}, "blrabz", kIndirectCall},
    {{0xd73f0800, 0xfffffc00}, "blraa", kIndirectCall},
    {{0xd73f0c00, 0xfffffc00}, "blrab", kIndirectCall},
    {{0xd65f0bff, 0xffffffff}, "retaa", kReturn},
    {{0xd65f0fff, 0xffffffff}, "retab", kReturn},
    {{0xd69f03e0, 0xffffffff}, "eret"},
    {{0xd69f0bff, 0xffffffff}, "eretaa"},
    {{0xd69f0fff, 0xffffffff}, "eretab"},
    {{0xd6bf03e0, 0xffffffff}, "drps"},

    {{0xd4000001, 0xffe0001f}, "svc", Flagged(kSystemCall)},
    {{0xd4000002, 0xffe0001f}, "hvc"},
    {{0xd4000003, 0xffe0001f}, "smc"},
    {{0xd4200000, 0xffe0001f}, "brk"},
    {{0xd4400000, 0xffe0001f}, "hlt"},
    {{0xd4600000, 0xffe0001f}, "tcancel"},
    {{0xd4a00001, 0xffe0001f}, "dcps1"},
    {{0xd4a00002, 0xffe0001f}, "dcps2"},
    {{0xd4a00003, 0xffe0001f}, "dcps3"},
    {{0x00000000, 0xffff0000}, "udf"},

    {{0xd503201f, 0xffffffff}, "nop", Flagged(kNop)},
    {{0xd503203f, 0xffffffff}, "yield"},
    {{0xd503205f, 0xffffffff}, "wfe"},
    {{0xd503207f, 0xffffffff}, "wfi"},
    {{0xd503209f, 0xffffffff}, "sev"},
    {{0xd50320bf, 0xffffffff}, "sevl"},
    {{0xd50320df, 0xffffffff}, "dgh"},
    {{0xd50320ff, 0xffffffff}, "xpaclri"},
    {{0xd503211f, 0xffffffff}, "pacia1716"},
    {{0xd503215f, 0xffffffff}, "pacib1716"},
    {{0xd503219f, 0xffffffff}, "autia1716"},
    {{0xd50321df, 0xffffffff}, "autib1716"},
    {{0xd503221f, 0xffffffff}, "esb"},
    {{0xd503223f, 0xffffffff}, "psb"},
    {{0xd503225f, 0xffffffff}, "tsb"},
    {{0xd503229f, 0xffffffff}, "csdb"},
    {{0xd50322df, 0xffffffff}, "clrbhb"},
    {{0xd503231f, 0xffffffff}, "paciaz"},
    {{0xd503233f, 0xffffffff}, "paciasp"},
    {{0xd503235f, 0xffffffff}, "pacibz"},
    {{0xd503237f, 0xffffffff}, "pacibsp"},
    {{0xd503239f, 0xffffffff}, "autiaz"},
    {{0xd50323bf, 0xffffffff}, "autiasp"},
    {{0xd50323df, 0xffffffff}, "autibz"},
    {{0xd50323ff, 0xffffffff}, "autibsp"},
    {{0xd503241f, 0xffffff3f}, "bti", Flagged(kNop)},
    {{0xd503251f, 0xffffffff}, "chkfeat"},
    {{0xd503201f, 0xfffff01f}, "hint", Flagged(kNop)},

    {{0xd503305f, 0xfffff0ff}, "clrex"},
    {{0xd503309f, 0xfffff0ff}, "dsb"},
    {{0xd503323f, 0xfffff3ff}, "dsb"},
    {{0xd50330bf, 0xfffff0ff}, "dmb"},
    {{0xd50330df, 0xfffff0ff}, "isb"},
    {{0xd50330ff, 0xffffffff}, "sb"},
    {{0xd503307f, 0xffffffff}, "tcommit"},
    {{0xd5031000, 0xffffffe0}, "wfet"},
    {{0xd5031020, 0xffffffe0}, "wfit"},
    {{0xd5233060, 0xffffffe0}, "tstart"},
    {{0xd5233160, 0xffffffe0}, "ttest"},
    {{0xd500401f, 0xffffffff}, "cfinv"},
    {{0xd500403f, 0xffffffff}, "xaflag"},
    {{0xd500405f, 0xffffffff}, "axflag"},
    {{0xd500401f, 0xfff8f01f}, "msr"},
    {{0xd50b7420, 0xffffffe0}, "dc", Store(64)},  // zva
    {{0xd50b7460, 0xffffffe0}, "dc", Store(0)},   // gva: tags only
    {{0xd50b7480, 0xffffffe0}, "dc", Store(64)},  // gzva
    {{0xd50b7a20, 0xffffffe0}, "dc"},             // cvac
    {{0xd50b7b20, 0xffffffe0}, "dc"},             // cvau
    {{0xd50b7c20, 0xffffffe0}, "dc"},             // cvap
    {{0xd50b7d20, 0xffffffe0}, "dc"},             // cvadp
    {{0xd50b7e20, 0xffffffe0}, "dc"},             // civac
    {{0xd50b7520, 0xffffffe0}, "ic"},             // ivau
    {{0xd5080000, 0xfff80000}, "sys"},
    {{0xd5280000, 0xfff80000}, "sysl"},
    {{0xd5100000, 0xfff00000}, "msr"},
    {{0xd5300000, 0xfff00000}, "mrs", Shaped(A64Shape::kSystemRegister)},
};

#undef CONDITION

}  // namespace

std::span<const A64Row> A64BranchRows() { return kRows; }

}  // namespace tare::decode
