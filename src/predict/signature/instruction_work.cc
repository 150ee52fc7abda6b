// instruction_work.cc: from classes and names of instructions to kinds of work.
#include "predict/signature/instruction_work.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace tare::signature {
namespace {

using decode::Architecture;
using decode::BranchKind;
using decode::Instruction;
using enum decode::InstructionClass;

// Multiplications of integers, as their names begin.
constexpr auto kX86Products = std::to_array<std::string_view>({"mul", "imul", "mulx"});
constexpr auto kA64Products = std::to_array<std::string_view>(
    {"madd", "msub", "smaddl", "smsubl", "smulh", "umaddl", "umsubl", "umulh"});

template <std::size_t N>
bool IsOneOf(std::string_view name, const std::array<std::string_view, N>& list) {
  return std::ranges::find(list, name) != list.end();
}

// "mulsd", "vmulps", "fmul", "fmulp"; on AArch64 "fmul", "fnmul", "fmulx".
bool MultipliesFloats(std::string_view name) {
  if (name.starts_with("v")) name.remove_prefix(1);
  return name.starts_with("mul") || name.starts_with("fmul") || name.starts_with("fimul") ||
         name.starts_with("fnmul");
}

Work FloatKind(Architecture architecture, const Instruction& it) {
  if (it.classes.Contains(kDivision)) return Work::kFloatDivide;
  if (it.classes.Contains(kFused)) return Work::kFloatFused;
  if (it.classes.Contains(kConversion)) return Work::kVectorInteger;
  return MultipliesFloats(decode::MnemonicName(architecture, it.mnemonic)) ? Work::kFloatMultiply
                                                                           : Work::kFloatAdd;
}

bool IsVectorData(const Instruction& it) {
  using enum decode::OperandType;
  switch (it.operand_type) {
    case kFloat16:
    case kFloat32:
    case kFloat64:
    case kFloat80:
    case kVectorInteger:
    case kVectorFloat16:
    case kVectorFloat32:
    case kVectorFloat64:
    case kVectorData:
      return true;
    default:
      return it.vector;
  }
}

}  // namespace

std::optional<Work> OperationOf(Architecture architecture, const Instruction& it) {
  if (it.branch != BranchKind::kNone) return std::nullopt;
  if (it.classes.Contains(kNop) || it.classes.Contains(kSystem)) return Work::kOther;
  if (it.prefetch) return Work::kOther;
  const bool accesses = it.loads + it.stores > 0;
  if (it.floating_point) return FloatKind(architecture, it);
  const bool computes = it.classes.Contains(kInteger);
  const bool rearranges = it.classes.Contains(kShuffle);
  if (accesses && !computes && !rearranges) return std::nullopt;
  if (it.classes.Contains(kDivision)) return Work::kIntegerDivide;
  if (IsVectorData(it)) return Work::kVectorInteger;
  const std::string name = decode::MnemonicName(architecture, it.mnemonic);
  const bool multiplies = architecture == Architecture::kX86_64 ? IsOneOf(name, kX86Products)
                                                                : IsOneOf(name, kA64Products);
  return multiplies ? Work::kIntegerMultiply : Work::kInteger;
}

void AddWork(Architecture architecture, const Instruction& it, double accesses, WorkCounts& to) {
  to[static_cast<std::size_t>(Work::kLoad)] += accesses * it.loads;
  to[static_cast<std::size_t>(Work::kStore)] += accesses * it.stores;
  if (it.branch != BranchKind::kNone) to[static_cast<std::size_t>(Work::kBranch)] += 1;
  if (const auto work = OperationOf(architecture, it)) to[static_cast<std::size_t>(*work)] += 1;
}

std::optional<FloatWork> FloatWorkOf(Architecture architecture, const Instruction& it) {
  if (it.floating_operations == 0) return std::nullopt;
  FloatWork work;
  work.work = FloatKind(architecture, it);
  work.element_bytes = it.element_bits == 80 ? 10 : it.element_bits / 8U;
  const unsigned each = work.work == Work::kFloatFused ? 2 : 1;
  work.lanes = std::max(1U, it.floating_operations / each);
  work.instructions = 1;
  work.operations = it.floating_operations;
  return work;
}

double ReferenceLatency(Work work) {
  switch (work) {
    case Work::kInteger:
    case Work::kVectorInteger:
      return 1;
    case Work::kIntegerMultiply:
      return 3;
    case Work::kIntegerDivide:
      return 20;
    case Work::kFloatAdd:
    case Work::kFloatMultiply:
    case Work::kFloatFused:
      return 4;
    case Work::kFloatDivide:
      return 13;
    case Work::kLoad:
      return 5;
    case Work::kStore:  // forwarded to the load, whose latency includes it
    case Work::kBranch:
    case Work::kOther:
      break;
  }
  return 0;
}

}  // namespace tare::signature
