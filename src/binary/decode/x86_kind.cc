// x86_kind.cc: names that move, shuffle, compare, convert or control the system; all others
// compute.
#include "binary/decode/x86_kind.h"

#include <algorithm>
#include <array>
#include <span>

namespace tare::decode {
namespace {

using enum InstructionClass;

bool IsOneOf(std::string_view name, std::span<const std::string_view> list) {
  return std::ranges::find(list, name) != list.end();
}

bool BeginsWithOneOf(std::string_view name, std::span<const std::string_view> list) {
  return std::ranges::any_of(list, [&](std::string_view one) { return name.starts_with(one); });
}

// A stem is a name without the v of AVX.
constexpr auto kMoveStems = std::to_array<std::string_view>(
    {"mov",      "cmov",      "maskmov",  "pmaskmov", "lddqu",   "pmovmskb", "pextr",   "extractps",
     "kmov",     "pmovb2m",   "pmovw2m",  "pmovd2m",  "pmovq2m", "pmovm2",   "fcmov",   "fst",
     "tileload", "tilestore", "tilezero", "cmpxchg",  "push",    "popf",     "kextract"});
constexpr auto kMoves = std::to_array<std::string_view>(
    {"pop",  "popa",  "popad",  "xchg",   "fxch",   "cbw",   "cwde", "cdqe",
     "lahf", "sahf",  "salc",   "xlat",   "enter",  "leave", "fld",  "fld1",
     "fldz", "fldpi", "fldl2e", "fldl2t", "fldlg2", "fldln2"});
constexpr auto kGatherStems =
    std::to_array<std::string_view>({"gather", "pgather", "scatter", "pscatter"});
// Includes narrowing and widening of lanes; saturating narrowing (vpmovsdb, vpmovusdb) computes.
constexpr auto kShuffleStems = std::to_array<std::string_view>(
    {"shuf",     "pshuf",    "unpck",    "punpck",    "perm",       "pperm",    "palignr",
     "align",    "blend",    "pblend",   "broadcast", "pbroadcast", "insertf",  "inserti",
     "insertps", "extractf", "extracti", "compress",  "pcompress",  "expand",   "pexpand",
     "pswapd",   "pinsr",    "kunpck",   "movddup",   "movshdup",   "movsldup", "movhlps",
     "movlhps",  "pmovsx",   "pmovzx",   "pmovdb",    "pmovdw",     "pmovqb",   "pmovqd",
     "pmovqw",   "pmovwb"});
constexpr auto kCompareStems =
    std::to_array<std::string_view>({"cmp", "comis", "ucomis", "test", "ptest", "pcmp", "fcom",
                                     "fucom", "ficom", "kortest", "ktest", "fpclass"});
constexpr auto kCompares = std::to_array<std::string_view>(
    {"bt", "ftst", "fxam", "pcomb", "pcomw", "pcomd", "pcomq", "pcomub", "pcomuw", "pcomud",
     "pcomuq", "pfcmpeq", "pfcmpge", "pfcmpgt"});
constexpr auto kConversionStems =
    std::to_array<std::string_view>({"cvt", "fild", "fist", "fbld", "fbstp", "pf2i", "pi2f"});
constexpr auto kDivisionStems =
    std::to_array<std::string_view>({"div", "idiv", "sqrt", "fdiv", "fidiv", "fsqrt", "fprem"});
constexpr auto kFusedStems =
    std::to_array<std::string_view>({"fmadd", "fmsub", "fnmadd", "fnmsub", "4fmadd", "4fnmadd"});

constexpr auto kSystemStems = std::to_array<std::string_view>(
    {"xsave", "xrstor",  "fxsave",    "fxrstor",   "clflush", "ldmxcsr", "stmxcsr", "fldenv",
     "fnst",  "monitor", "mwait",     "umonitor",  "umwait",  "tpause",  "enqcmd",  "encls",
     "enclu", "enclv",   "encodekey", "loadiwkey", "incssp",  "rdssp",   "wrss",    "wruss",
     "inv",   "iret",    "bnd",       "seam",      "rmp",     "lwp",     "rdfs",    "rdgs",
     "wrfs",  "wrgs",    "rdtsc",     "ffree"});
constexpr auto kSystemNames =
    std::to_array<std::string_view>({"cpuid",        "hlt",           "pause",
                                     "lfence",       "mfence",        "sfence",
                                     "serialize",    "syscall",       "sysenter",
                                     "sysexit",      "sysret",        "int",
                                     "int1",         "int3",          "into",
                                     "ud0",          "ud1",           "ud2",
                                     "rdpmc",        "rdpid",         "rdpru",
                                     "rdrand",       "rdseed",        "rdmsr",
                                     "wrmsr",        "rdpkru",        "wrpkru",
                                     "xgetbv",       "xsetbv",        "fldcw",
                                     "fnsave",       "frstor",        "fnclex",
                                     "fninit",       "fwait",         "fnop",
                                     "feni8087_nop", "fdisi8087_nop", "fsetpm287_nop",
                                     "fdecstp",      "fincstp",       "emms",
                                     "femms",        "vzeroupper",    "vzeroall",
                                     "cld",          "std",           "clc",
                                     "stc",          "cmc",           "cli",
                                     "sti",          "clac",          "stac",
                                     "clts",         "clwb",          "cldemote",
                                     "clzero",       "xbegin",        "xend",
                                     "xabort",       "xtest",         "in",
                                     "out",          "wbinvd",        "swapgs",
                                     "lar",          "lsl",           "ltr",
                                     "str",          "sldt",          "lldt",
                                     "smsw",         "lmsw",          "verr",
                                     "verw",         "sgdt",          "sidt",
                                     "lgdt",         "lidt",          "lds",
                                     "les",          "lfs",           "lgs",
                                     "lss",          "getsec",        "vmcall",
                                     "vmclear",      "vmfunc",        "vmlaunch",
                                     "vmload",       "vmmcall",       "vmptrld",
                                     "vmptrst",      "vmread",        "vmresume",
                                     "vmrun",        "vmsave",        "vmwrite",
                                     "vmxoff",       "vmxon",         "tilerelease",
                                     "ldtilecfg",    "sttilecfg",     "saveprevssp",
                                     "rstorssp",     "setssbsy",      "clrssbsy",
                                     "xsusldtrk",    "xresldtrk",     "hreset",
                                     "senduipi",     "clui",          "stui",
                                     "testui",       "uiret",         "tdcall",
                                     "pvalidate",    "psmash",        "pconfig",
                                     "skinit",       "stgi",          "clgi",
                                     "rsm",          "mcommit",       "ptwrite",
                                     "tlbsync",      "llwpcb",        "slwpcb",
                                     "xstore",       "endbr32",       "endbr64",
                                     "nop",          "bound"});

constexpr auto kTypedStems = std::to_array<std::string_view>(
    {"andps", "andnps", "orps", "xorps", "testps", "movss", "movntss"});
constexpr auto kTypedDoubleStems = std::to_array<std::string_view>(
    {"andpd", "andnpd", "orpd", "xorpd", "testpd", "movsd", "movntsd"});

std::uint8_t FloatBits(std::string_view stem) {
  if (IsOneOf(stem, kTypedStems)) return 32;
  if (IsOneOf(stem, kTypedDoubleStems)) return 64;
  return stem == "movsh" ? 16 : 0;
}

}  // namespace

InstructionKind X86KindOfName(std::string_view name) {
  if (IsOneOf(name, kSystemNames)) return {.computes = false, .marks = {kSystem}};
  std::string_view stem = name;
  if (stem.starts_with("v")) stem.remove_prefix(1);
  InstructionKind kind;
  kind.float_bits = FloatBits(stem);
  if (BeginsWithOneOf(stem, kSystemStems)) {
    kind.computes = false;
    kind.marks.Add(kSystem);
  } else if (BeginsWithOneOf(stem, kGatherStems)) {
    kind.computes = false;
    kind.marks = {kMove, kGather};
  } else if (BeginsWithOneOf(stem, kShuffleStems)) {
    kind.computes = false;
    kind.marks.Add(kShuffle);
  } else if (IsOneOf(stem, kMoves) || BeginsWithOneOf(stem, kMoveStems)) {
    kind.computes = false;
    kind.marks.Add(kMove);
  } else {
    kind.marks.AddIf(kCompare, IsOneOf(stem, kCompares) || BeginsWithOneOf(stem, kCompareStems));
    kind.marks.AddIf(kConversion, BeginsWithOneOf(stem, kConversionStems));
    kind.marks.AddIf(kDivision, BeginsWithOneOf(stem, kDivisionStems));
    kind.marks.AddIf(kFused, BeginsWithOneOf(stem, kFusedStems));
    kind.marks.AddIf(kAddress, stem == "lea");
  }
  return kind;
}

}  // namespace tare::decode
