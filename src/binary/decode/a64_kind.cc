// a64_kind.cc: names that move, shuffle, compare, convert or divide; all others compute.
#include "binary/decode/a64_kind.h"

#include <algorithm>
#include <array>
#include <span>

namespace tare::decode {
namespace {

using Class = InstructionClass;

bool IsOneOf(std::string_view name, std::span<const std::string_view> list) {
  return std::ranges::find(list, name) != list.end();
}

bool BeginsWithOneOf(std::string_view name, std::span<const std::string_view> list) {
  return std::ranges::any_of(list, [&](std::string_view one) { return name.starts_with(one); });
}

constexpr auto kMoves = std::to_array<std::string_view>(
    {"movz",   "movn", "movk",    "csel",  "fcsel",  "fmov",   "umov",  "smov",
     "movi",   "mvni", "movprfx", "ptrue", "ptrues", "pfalse", "rdffr", "wrffr",
     "setffr", "cntb", "cnth",    "cntw",  "cntd",   "rdvl"});
constexpr auto kShuffles = std::to_array<std::string_view>(
    {"dup", "ext", "tbl", "tbx", "uzp1", "uzp2", "trn1", "trn2", "zip1", "zip2", "ins", "xtn",
     "xtn2", "sel", "lasta", "lastb"});
constexpr auto kReversals = std::to_array<std::string_view>({"rev", "rev16", "rev32", "rev64"});
constexpr auto kCompares = std::to_array<std::string_view>(
    {"ccmn",  "ccmp",  "fcmp",  "fcmpe", "fccmp", "fccmpe", "cmgt",  "cmge",  "cmeq",  "cmhi",
     "cmhs",  "cmtst", "cmlt",  "cmle",  "fcmeq", "fcmge",  "fcmgt", "fcmle", "fcmlt", "facge",
     "facgt", "cmphs", "cmphi", "cmpge", "cmpgt", "cmpeq",  "cmpne", "ptest", "setf8", "setf16"});
constexpr auto kConversions =
    std::to_array<std::string_view>({"scvtf", "ucvtf", "fcvt", "fjcvtzs", "bfcvt"});
constexpr auto kDivisions =
    std::to_array<std::string_view>({"udiv", "sdiv", "udivr", "sdivr", "fdiv", "fdivr", "fsqrt"});
constexpr auto kProtections = std::to_array<std::string_view>({"pac", "aut", "xpac", "irg", "gmi"});
constexpr auto kMemoryCopies =
    std::to_array<std::string_view>({"cpy", "setp", "setm", "sete", "setg"});
constexpr auto kMemoryArithmetic = std::to_array<std::string_view>(
    {"ldadd", "ldclr", "ldeor", "ldset", "ldsmax", "ldsmin", "ldumax", "ldumin"});
constexpr auto kLengthenings =
    std::to_array<std::string_view>({"sshll", "sshll2", "ushll", "ushll2"});
// SVE instructions whose result is a general-purpose register.
constexpr auto kGeneralResults = std::to_array<std::string_view>(
    {"cntb", "cnth", "cntw", "cntd", "rdvl", "incb", "inch", "incw", "incd", "decb", "dech", "decw",
     "decd", "addvl", "addpl", "cntp", "incp"});

InstructionKind AccessKind(const A64Row& row) {
  const A64Effect& effect = row.effect;
  InstructionKind kind;
  kind.computes = (effect.flags & kAtomic) != 0 && BeginsWithOneOf(row.name, kMemoryArithmetic);
  kind.marks.AddIf(Class::kGather, effect.loads > 1 || effect.stores > 1);
  kind.marks.AddIf(Class::kString, BeginsWithOneOf(row.name, kMemoryCopies));
  return kind;
}

bool IsVector(const A64Row& row) {
  return row.effect.shape == A64Shape::kVector || row.effect.shape == A64Shape::kVector128 ||
         row.effect.shape == A64Shape::kScalable;
}

InstructionKind KindOf(const A64Row& row, bool controls) {
  const A64Effect& effect = row.effect;
  if (effect.branch != BranchKind::kNone || (effect.flags & (kNop | kPrefetch)) != 0)
    return {.computes = false};
  if (controls || BeginsWithOneOf(row.name, kProtections))
    return {.computes = false, .marks = {Class::kSystem}};
  if (effect.loads + effect.stores > 0) return AccessKind(row);
  if (IsOneOf(row.name, kMoves)) return {.computes = false, .marks = {Class::kMove}};
  if (IsOneOf(row.name, kShuffles) || (IsVector(row) && IsOneOf(row.name, kReversals)))
    return {.computes = false, .marks = {Class::kShuffle}};
  InstructionKind kind;
  kind.marks.AddIf(Class::kCompare, IsOneOf(row.name, kCompares) || row.name.starts_with("while"));
  kind.marks.AddIf(Class::kConversion, BeginsWithOneOf(row.name, kConversions));
  kind.marks.AddIf(Class::kDivision, IsOneOf(row.name, kDivisions));
  kind.marks.AddIf(Class::kFused, (effect.flags & kFloat) != 0 && effect.operations > 1);
  kind.marks.AddIf(Class::kAddress, row.name == "adr" || row.name == "adrp");
  return kind;
}

// Rows by bits 28:24, as in the manual's table of "Data Processing".
A64Decides GeneralDecision(const A64Row& row) {
  const auto group = (row.bits.value >> 24U) & 0x1fU;
  const std::string_view name = row.name;
  const bool sets_flags = name == "adds" || name == "subs" || name == "ands" || name == "bics";
  switch (group) {
    case 0x10:
      return name == "adr" ? A64Decides::kAddress : A64Decides::kNothing;
    case 0x11:  // immediate
      return sets_flags                         ? A64Decides::kFlags
             : name == "add" || name == "sub"   ? A64Decides::kSum
             : name == "addg" || name == "subg" ? A64Decides::kImmediateLogic
                                                : A64Decides::kWidth;
    case 0x0b:
      // Register 31 is sp only in the extended-register form (bit 21).
      if (sets_flags) return A64Decides::kFlags;
      return (row.bits.value & (1U << 21U)) != 0 ? A64Decides::kSum : A64Decides::kWidth;
    case 0x12:
      if (sets_flags) return A64Decides::kFlags;
      if (name == "orr") return A64Decides::kImmediateOr;
      return name == "and" || name == "eor" ? A64Decides::kImmediateLogic : A64Decides::kWidth;
    case 0x0a:
      if (sets_flags) return A64Decides::kFlags;
      return name == "orr" ? A64Decides::kOr : A64Decides::kWidth;
    case 0x13:
      return name == "extr" || name == "bfm" ? A64Decides::kWidth : A64Decides::kExtension;
    default:
      return A64Decides::kWidth;
  }
}

A64Decides DecisionOf(const A64Row& row, const InstructionKind& kind) {
  const A64Effect& effect = row.effect;
  const std::uint32_t value = row.bits.value;
  if (kind.marks.Contains(Class::kSystem) || (effect.flags & kNop) != 0)
    return A64Decides::kNothing;
  if (effect.branch != BranchKind::kNone) return A64Decides::kNothing;
  if ((value & 0x3b000000U) == 0x18000000U && row.bits.mask == 0xff000000U)
    return A64Decides::kLiteral;
  if (effect.loads + effect.stores > 0)
    return kind.marks.Contains(Class::kGather) ? A64Decides::kNothing : A64Decides::kBase;
  if (effect.shape == A64Shape::kScalable) {
    if (row.name == "orr" && (value & 0x1fe0fc00U) == 0x04603000U) return A64Decides::kScalableOr;
    return row.name == "addvl" || row.name == "addpl" ? A64Decides::kScalableSum
                                                      : A64Decides::kNothing;
  }
  if (row.name == "orr" && (value & 0x1fe0fc00U) == 0x0ea01c00U) return A64Decides::kVectorOr;
  if (IsOneOf(row.name, kLengthenings)) return A64Decides::kLengthening;
  if (effect.shape == A64Shape::kPlain && ((value >> 25U) & 7U) == 7) return A64Decides::kLane;
  // Data processing on general-purpose registers has 100x or x101 in bits 28:25.
  const auto group = (value >> 25U) & 0xfU;
  if ((group & 0xeU) == 8 || (group & 7U) == 5) return GeneralDecision(row);
  return A64Decides::kNothing;
}

}  // namespace

A64Kind A64KindOfRow(const A64Row& row, bool controls) {
  const InstructionKind kind = KindOf(row, controls);
  return {.kind = kind,
          .decides = DecisionOf(row, kind),
          .general_result =
              row.effect.shape == A64Shape::kScalable && IsOneOf(row.name, kGeneralResults)};
}

}  // namespace tare::decode
