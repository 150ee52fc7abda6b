// a64_kind.h: classifying instructions by the rows of the A64 tables, and by further bits of a
// word.
#pragma once

#include <cstdint>

#include "binary/decode/a64.h"
#include "binary/decode/instruction_kind.h"

namespace tare::decode {

// What determines category, classes or operand type of a row's words.
enum class A64Decides : std::uint8_t {
  kNothing,
  kWidth,           // bit 31: registers of 32 or 64 bits
  kLiteral,         // a pc-relative load
  kAddress,         // adr
  kBase,            // memory through a base register, which may be sp
  kSum,             // add, sub: may write sp, or be a move from or to it
  kFlags,           // adds, subs, ands: a comparison when the result is discarded
  kImmediateLogic,  // and, eor: may write sp
  kImmediateOr,     // the same, and a move of a constant when the other operand is zero
  kOr,              // orr of registers: a move when one is zero
  kExtension,       // sbfm, ubfm: a move when whole bytes are extended
  kLane,            // one lane of a SIMD register: its type
  kVectorOr,        // orr of vectors: a move when both are the same
  kScalableOr,
  kLengthening,  // sshll, ushll: a shuffle when the shift is 0
  kScalableSum,  // addvl, addpl: may write sp
};

struct A64Kind {
  InstructionKind kind;
  A64Decides decides = A64Decides::kNothing;
  bool general_result = false;  // of SVE: writes a general-purpose register
};

// `controls` is true for rows of the table of branches and system instructions.
A64Kind A64KindOfRow(const A64Row& row, bool controls);

// The operand type of a word; all other fields of `it` must be set.
OperandType A64TypeOf(const Instruction& it, const A64Kind& kind, std::uint32_t word);

// Adjusts `it` for what `decides` names. The other fields must be set as for a word to which none
// of it applies.
void RefineA64(A64Decides decides, std::uint32_t word, std::uint64_t address, Instruction& it);

}  // namespace tare::decode
