// instruction_kind.h: deriving category and classes from the decoded properties.
#pragma once

#include <cstdint>

#include "binary/decode/instruction.h"

namespace tare::decode {

// What a decoder knows beyond the other fields of an Instruction.
struct InstructionKind {
  bool computes = true;
  ClassSet marks =
      {};  // move, shuffle, compare, conversion, division, fused, address, gather, string, system
  std::uint8_t float_bits = 0;  // element size that only the name gives: xorps, movsd
};

inline Category CategoryFor(const Instruction& it, const InstructionKind& kind) {
  switch (it.branch) {
    case BranchKind::kCall:
    case BranchKind::kIndirectCall:
      return Category::kCalls;
    case BranchKind::kConditional:
      return Category::kBranches;
    case BranchKind::kJump:
    case BranchKind::kIndirectJump:
    case BranchKind::kReturn:
      return Category::kUnconditionalBranches;
    case BranchKind::kNone:
      break;
  }
  if (it.moves_stack_pointer && !kind.marks.Contains(InstructionClass::kSystem))
    return Category::kStackOps;
  if (kind.computes) return Category::kArith;
  if (it.loads + it.stores > 0) return Category::kMem;
  return Category::kUnclassified;
}

inline InstructionClass WidthClass(const Instruction& it) {
  if (it.scalable) return InstructionClass::kScalable;
  if (it.vector_bits <= 64) return InstructionClass::kVector64;
  if (it.vector_bits == 128) return InstructionClass::kVector128;
  return it.vector_bits == 256 ? InstructionClass::kVector256 : InstructionClass::kVector512;
}

// Sets category and classes. All other fields except operand_type must be set, and so must the
// classes kReadModifyWrite and kStackAccess.
inline void Classify(const InstructionKind& kind, Instruction& it) {
  using enum InstructionClass;
  const bool branches = it.branch != BranchKind::kNone;
  const bool computes = kind.computes && !branches;
  it.category = CategoryFor(it, kind);
  ClassSet& set = it.classes;
  set.AddAll(kind.marks);
  if (it.loads + it.stores > 0) set.Remove(kMove);
  set.AddIf(kLoad, it.loads > 0);
  set.AddIf(kStore, it.stores > 0);
  set.AddIf(kFloatingPoint, it.floating_point);
  set.AddIf(kScalarFloat, it.floating_point && !it.vector);
  set.AddIf(kPackedFloat, it.floating_point && it.vector);
  set.AddIf(kInteger, computes && !it.floating_point);
  set.AddIf(kPackedInteger, computes && !it.floating_point && it.vector);
  if (it.vector) set.Add(WidthClass(it));
  set.AddIf(kAtomic, it.atomic);
  set.AddIf(kPrefetch, it.prefetch);
  set.AddIf(kNop, it.nop);
  set.AddIf(kSystem, it.system_call);
  set.AddIf(kReturn, it.branch == BranchKind::kReturn);
  set.AddIf(kIndirect,
            it.branch == BranchKind::kIndirectJump || it.branch == BranchKind::kIndirectCall);
}

inline OperandType IntegerType(std::uint32_t bits) {
  switch (bits) {
    case 8:
      return OperandType::kInteger8;
    case 16:
      return OperandType::kInteger16;
    case 32:
      return OperandType::kInteger32;
    case 64:
    case 128:  // cmpxchg16b, casp: two of 64
      return OperandType::kInteger64;
    default:
      return OperandType::kNone;
  }
}

inline OperandType FloatType(std::uint32_t bits, bool vector) {
  switch (bits) {
    case 16:
      return vector ? OperandType::kVectorFloat16 : OperandType::kFloat16;
    case 32:
      return vector ? OperandType::kVectorFloat32 : OperandType::kFloat32;
    case 64:
      return vector ? OperandType::kVectorFloat64 : OperandType::kFloat64;
    case 80:
      return OperandType::kFloat80;
    default:
      return OperandType::kNone;
  }
}

// Whether an instruction has typed operands. Call Classify first.
inline bool HasOperandType(const Instruction& it) {
  using enum InstructionClass;
  return it.branch == BranchKind::kNone && !it.classes.Contains(kNop) &&
         !it.classes.Contains(kSystem) && !it.classes.Contains(kPrefetch);
}

}  // namespace tare::decode
