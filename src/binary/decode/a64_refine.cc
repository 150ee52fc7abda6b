// a64_refine.cc: properties that depend on the operands of an A64 word.
#include <bit>

#include "binary/decode/a64_bits.h"
#include "binary/decode/a64_kind.h"

namespace tare::decode {
namespace {

using enum InstructionClass;

constexpr std::uint32_t kStackPointer = 31;  // or the zero register, depending on the instruction

OperandType GeneralType(std::uint32_t word) {
  return Bits(word, 31, 31) != 0 ? OperandType::kInteger64 : OperandType::kInteger32;
}

// The element size from the highest bit of immh or the lowest bit of imm5.
std::uint32_t ShiftedElement(std::uint32_t word) {
  for (int bit = 22; bit > 19; --bit)
    if (Bits(word, bit, bit) != 0) return 8U << (bit - 19);
  return 8;
}
std::uint32_t CopiedElement(std::uint32_t word) {
  for (int bit = 16; bit < 19; ++bit)
    if (Bits(word, bit, bit) != 0) return 8U << (bit - 16);
  return 64;
}

// fcvt between two scalar types: 00 single, 01 double, 11 half.
bool ConvertsFloats(std::uint32_t word) {
  return Bits(word, 31, 24) == 0x1e && Bits(word, 21, 17) == 0x11;
}

// Conversions have the wider of the two types.
std::uint32_t ConvertedElement(std::uint32_t word) {
  if (ConvertsFloats(word)) {
    const auto to = Bits(word, 16, 15);  // 10: bfcvt
    return to != 2 && (to == 1 || Bits(word, 23, 22) == 1) ? 64 : 32;
  }
  if (Bits(word, 27, 23) == 0x1e) return ShiftedElement(word);  // fixed point
  return Bits(word, 22, 22) != 0 ? 64 : 32;
}

OperandType AccessType(const Instruction& it, std::uint32_t word) {
  const std::uint32_t bytes = it.loads > 0 ? it.load_bytes : it.store_bytes;
  const bool exclusive_pair =
      Bits(word, 29, 24) == 8 && Bits(word, 23, 23) == 0 && Bits(word, 21, 21) != 0;
  const bool pair = Bits(word, 29, 27) == 5 || exclusive_pair;
  const std::uint32_t bits = pair ? bytes * 4 : bytes * 8;
  return Bits(word, 26, 26) != 0 && bits > 8 ? FloatType(bits, false) : IntegerType(bits);
}

// The type of one lane of a SIMD register without floating-point arithmetic.
OperandType LaneType(std::uint32_t word) {
  const auto size = Bits(word, 23, 22);
  if (Bits(word, 28, 24) == 0x0e) return IntegerType(CopiedElement(word));  // umov, ins
  if (Bits(word, 30, 30) == 0) return FloatType(size == 0 ? 32 : size == 3 ? 16 : 64, false);
  if (Bits(word, 28, 23) == 0x3e) return IntegerType(ShiftedElement(word));
  if (Bits(word, 28, 21) == 0xf0) return IntegerType(CopiedElement(word));  // dup
  if (Bits(word, 31, 17) == 0x2f14) return OperandType::kInteger32;         // sha1h
  return IntegerType(8U << size);
}

void MakeMove(Instruction& it) {
  it.classes.Remove(kInteger);
  it.classes.Remove(kPackedInteger);
  it.classes.Add(kMove);
  if (!it.moves_stack_pointer) it.category = Category::kUnclassified;
  if (it.vector) it.operand_type = OperandType::kVectorData;
}

void MakeShuffle(Instruction& it) {
  MakeMove(it);
  it.classes.Remove(kMove);
  it.classes.Add(kShuffle);
}

void MoveStackPointer(Instruction& it) {
  it.moves_stack_pointer = true;
  it.category = Category::kStackOps;
}

std::uint64_t SignedOffset(std::uint32_t value, int width) {
  return static_cast<std::uint64_t>(
      static_cast<std::int64_t>(std::uint64_t{value} << (64 - width)) >> (64 - width));
}

bool ExtendsWholeBytes(std::uint32_t word) {
  const auto last = Bits(word, 15, 10);
  return Bits(word, 21, 16) == 0 && (last == 7 || last == 15 || last == 31);
}

void RefineGeneral(A64Decides decides, std::uint32_t word, Instruction& it) {
  const bool to_31 = Bits(word, 4, 0) == kStackPointer;
  const bool from_31 = Bits(word, 9, 5) == kStackPointer;
  it.operand_type = GeneralType(word);
  switch (decides) {
    case A64Decides::kFlags:
      it.classes.AddIf(kCompare, to_31);
      break;
    case A64Decides::kSum:
      if (to_31) MoveStackPointer(it);
      // add rd, rn, #0
      if ((to_31 || from_31) && Bits(word, 30, 22) == 0x44 && Bits(word, 21, 10) == 0) MakeMove(it);
      break;
    case A64Decides::kImmediateLogic:
      if (to_31) MoveStackPointer(it);
      break;
    case A64Decides::kImmediateOr:
      if (to_31) MoveStackPointer(it);
      if (from_31) MakeMove(it);
      break;
    case A64Decides::kOr:
      if (from_31 && Bits(word, 23, 22) == 0 && Bits(word, 15, 10) == 0) MakeMove(it);
      break;
    case A64Decides::kExtension:
      if (ExtendsWholeBytes(word)) MakeMove(it);
      break;
    default:
      break;
  }
}

}  // namespace

OperandType A64TypeOf(const Instruction& it, const A64Kind& kind, std::uint32_t word) {
  if (!HasOperandType(it)) return OperandType::kNone;
  if (kind.general_result) return OperandType::kInteger64;
  if (it.floating_point) {
    const bool is_open = it.element_bits == 0 || ConvertsFloats(word);
    return FloatType(is_open ? ConvertedElement(word) : it.element_bits, it.vector);
  }
  if (it.vector) return kind.kind.computes ? OperandType::kVectorInteger : OperandType::kVectorData;
  if (it.loads + it.stores > 0) return AccessType(it, word);
  if (Bits(word, 27, 25) == 7) return LaneType(word);
  if (Bits(word, 28, 24) == 0x10) return OperandType::kInteger64;  // adr, adrp
  return GeneralType(word);
}

void RefineA64(A64Decides decides, std::uint32_t word, std::uint64_t address, Instruction& it) {
  switch (decides) {
    case A64Decides::kNothing:
      return;
    case A64Decides::kLiteral:
      it.refers_to = address + SignedOffset(Bits(word, 23, 5), 19) * 4;
      it.refers_to_data = it.loads > 0;
      return;
    case A64Decides::kAddress:
      it.refers_to = address + SignedOffset(Bits(word, 23, 5) << 2U | Bits(word, 30, 29), 21);
      return;
    case A64Decides::kBase:
      if (Bits(word, 9, 5) != kStackPointer) return;
      it.classes.Add(kStackAccess);
      if (it.stack_operation) MoveStackPointer(it);
      return;
    case A64Decides::kLane:
      it.operand_type =
          it.floating_point ? FloatType(ConvertedElement(word), false) : LaneType(word);
      return;
    case A64Decides::kVectorOr:
    case A64Decides::kScalableOr:
      if (Bits(word, 9, 5) == Bits(word, 20, 16)) MakeMove(it);
      return;
    case A64Decides::kLengthening:
      // immh:immb is the element size plus the shift.
      if (std::has_single_bit(Bits(word, 22, 16))) MakeShuffle(it);
      return;
    case A64Decides::kScalableSum:
      if (Bits(word, 4, 0) == kStackPointer) MoveStackPointer(it);
      return;
    default:
      RefineGeneral(decides, word, it);
  }
}

}  // namespace tare::decode
