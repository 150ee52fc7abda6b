// instruction.h: the properties of one machine instruction that counting needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "binary/decode/architecture.h"
#include "binary/decode/instruction_class.h"

namespace tare::decode {

enum class BranchKind : std::uint8_t {
  kNone,
  kConditional,
  kJump,
  kIndirectJump,
  kCall,
  kIndirectCall,
  kReturn,
};

// docs/methods/instruction-classes.md has the rules of each field, docs/methods/instruction-mix.md
// those of category, classes and operand type. A repeated instruction (`repeated`) is described for
// one iteration. An instruction on scalable vectors (`scalable`) has vector_bits 0; its bytes and
// operations are per 128 bits of vector, with all lanes active.
struct Instruction {
  std::optional<std::uint64_t> target;     // of a direct branch
  std::optional<std::uint64_t> refers_to;  // the address of a pc-relative operand
  std::uint32_t mnemonic = 0;              // for MnemonicName
  std::uint8_t length = 0;
  BranchKind branch = BranchKind::kNone;

  std::uint8_t loads = 0;  // memory operands read and written
  std::uint8_t stores = 0;
  std::uint16_t load_bytes = 0;  // of all loads together; 0 where the processor decides
  std::uint16_t store_bytes = 0;

  std::uint16_t vector_bits = 0;         // 0, 64, 128, 256, 512
  std::uint8_t element_bits = 0;         // of floating-point operands: 16, 32, 64, 80
  std::uint8_t floating_operations = 0;  // lanes, times 2 when fused
  bool floating_point : 1 = false;       // computes, compares or converts floating-point numbers
  bool vector : 1 = false;               // operates on several lanes of a register at once
  bool scalable : 1 = false;             // SVE, SME
  bool x87 : 1 = false;                  // x87 stack, whose results depend on its control word
  bool fldcw : 1 = false;                // sets that control word
  bool atomic : 1 = false;               // read-modify-write, or half of an exclusive pair
  bool system_call : 1 = false;          // syscall, svc, int 0x80
  bool repeated : 1 = false;             // a string operation with rep, repe or repne
  bool nop : 1 = false;                  // nop of any length, landing pads
  bool stack_operation : 1 = false;      // accesses the stack and adjusts the stack pointer
  bool prefetch : 1 = false;
  bool queries_processor : 1 = false;  // the result depends on the processor, time or chance
  bool moves_stack_pointer : 1 = false;
  bool refers_to_data : 1 = false;  // the instruction accesses the memory at refers_to

  Category category = Category::kUnclassified;
  OperandType operand_type = OperandType::kNone;
  ClassSet classes;

  friend bool operator==(const Instruction&, const Instruction&) = default;
};

inline Category CategoryOf(const Instruction& it) { return it.category; }
inline ClassSet ClassesOf(const Instruction& it) { return it.classes; }
inline OperandType OperandTypeOf(const Instruction& it) { return it.operand_type; }

// Decodes the instruction at the start of `code`, which runs at `address`. Invalid and truncated
// bytes are an error of kind kFormat. On AArch64 some reserved words are decoded as the nearest
// instruction.
Result<Instruction> Decode(Architecture architecture, std::span<const std::byte> code,
                           std::uint64_t address);

// "add", "ldp", "b.eq": the canonical name in lower case, never an alias. "?" for an id that Decode
// never returned.
std::string MnemonicName(Architecture architecture, std::uint32_t id);

}  // namespace tare::decode
