// x86_decoder.cc: converting Zydis's description of an instruction.
#include "binary/decode/x86_decoder.h"

#include <Zydis/Zydis.h>

#include <algorithm>
#include <vector>

#include "binary/decode/instruction_kind.h"
#include "binary/decode/x86_kind.h"
#include "binary/decode/x86_mnemonic.h"
#include "binary/decode/x86_zydis.h"

namespace tare::decode {
namespace {

using Decoded = X86Decoded;

std::string_view NameOf(const Decoded& it) {
  return ZydisMnemonicGetString(it.instruction.mnemonic);
}

struct NameFacts {
  X86Arithmetic arithmetic;
  InstructionKind kind;
};

const NameFacts& FactsOf(ZydisMnemonic mnemonic) {
  static const std::vector<NameFacts> table = [] {
    std::vector<NameFacts> made;
    for (int id = 0; id <= ZYDIS_MNEMONIC_MAX_VALUE; ++id) {
      const std::string_view name = ZydisMnemonicGetString(static_cast<ZydisMnemonic>(id));
      made.push_back({ArithmeticOfName(name), X86KindOfName(name)});
    }
    return made;
  }();
  return table[static_cast<std::size_t>(mnemonic)];
}

bool QueriesProcessor(ZydisMnemonic mnemonic) {
  switch (mnemonic) {
    case ZYDIS_MNEMONIC_CPUID:
    case ZYDIS_MNEMONIC_XGETBV:
    case ZYDIS_MNEMONIC_RDTSC:
    case ZYDIS_MNEMONIC_RDTSCP:
    case ZYDIS_MNEMONIC_RDRAND:
    case ZYDIS_MNEMONIC_RDSEED:
    case ZYDIS_MNEMONIC_RDPID:
    case ZYDIS_MNEMONIC_RDPMC:
    case ZYDIS_MNEMONIC_RDPRU:
      return true;
    default:
      return false;
  }
}

// Whether memory operands are only addresses: hints and cache control.
bool TouchesNoData(const ZydisDecodedInstruction& instruction) {
  switch (instruction.meta.category) {
    case ZYDIS_CATEGORY_NOP:
    case ZYDIS_CATEGORY_WIDENOP:
    case ZYDIS_CATEGORY_PREFETCH:
    case ZYDIS_CATEGORY_PREFETCHWT1:
    case ZYDIS_CATEGORY_CLFLUSHOPT:
    case ZYDIS_CATEGORY_CLWB:
    case ZYDIS_CATEGORY_CLDEMOTE:
      return true;
    default:
      return instruction.mnemonic == ZYDIS_MNEMONIC_CLFLUSH ||
             instruction.mnemonic == ZYDIS_MNEMONIC_INVLPG;
  }
}

// Lanes of a gather or scatter: as many as there are both indices and elements. The letter after
// "er" gives the width of an index: vgatherdpd, vpgatherqd; the prefetching ones have none.
std::uint32_t GatherLanes(const Decoded& it, const ZydisDecodedOperand& memory) {
  const std::string_view name = NameOf(it);
  const std::size_t word = name.find("er");
  if (word == std::string_view::npos || word + 2 >= name.size()) return 0;
  const char letter = name[word + 2];
  if (letter != 'd' && letter != 'q') return 0;
  const std::uint32_t index_bits =
      ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, memory.mem.index);
  std::uint32_t lanes = index_bits / (letter == 'd' ? 32 : 64);
  for (const auto& operand : it.visible())
    if (operand.type == ZYDIS_OPERAND_TYPE_REGISTER && operand.element_size > 1)
      lanes = std::min<std::uint32_t>(lanes, operand.size / operand.element_size);
  return lanes;
}

bool IsStackPointer(ZydisRegister one) {
  return one == ZYDIS_REGISTER_RSP || one == ZYDIS_REGISTER_ESP || one == ZYDIS_REGISTER_SP ||
         one == ZYDIS_REGISTER_SPL;
}

void AddMemory(const Decoded& it, Instruction& result) {
  if (TouchesNoData(it.instruction)) return;
  // Their size depends on the state components that the system has enabled (XCR0).
  const bool unknown_size = it.instruction.meta.category == ZYDIS_CATEGORY_XSAVE ||
                            it.instruction.meta.category == ZYDIS_CATEGORY_XSAVEOPT;
  std::uint32_t loads = 0, stores = 0, load_bytes = 0, store_bytes = 0;
  for (const auto& operand : it.operands()) {
    if (operand.type != ZYDIS_OPERAND_TYPE_MEMORY) continue;
    const bool gathers = operand.mem.type == ZYDIS_MEMOP_TYPE_VSIB;
    if (!gathers && operand.mem.type != ZYDIS_MEMOP_TYPE_MEM) continue;
    const std::uint32_t times = gathers ? GatherLanes(it, operand) : 1;
    const std::uint32_t bytes = unknown_size ? 0 : times * operand.size / 8U;
    // Zydis lets xsave also read the header of its area; here it is one store.
    const bool reads = (operand.actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0 &&
                       !(unknown_size && NameOf(it).starts_with("xsave"));
    if (reads) {
      loads += times;
      load_bytes += bytes;
    }
    const bool writes = (operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
    if (writes) {
      stores += times;
      store_bytes += bytes;
    }
    result.classes.AddIf(InstructionClass::kReadModifyWrite, reads && writes);
    result.classes.AddIf(InstructionClass::kStackAccess, IsStackPointer(operand.mem.base));
  }
  if (it.instruction.mnemonic == ZYDIS_MNEMONIC_CLZERO) {
    stores = 1;
    store_bytes = 64;
  }
  result.loads = static_cast<std::uint8_t>(loads);
  result.stores = static_cast<std::uint8_t>(stores);
  result.load_bytes = static_cast<std::uint16_t>(load_bytes);
  result.store_bytes = static_cast<std::uint16_t>(store_bytes);
}

void AddBranch(const Decoded& it, std::uint64_t address, Instruction& result) {
  const auto& instruction = it.instruction;
  const auto operands = it.visible();
  const bool direct = !operands.empty() && operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
                      operands[0].imm.is_relative;
  switch (instruction.meta.category) {
    case ZYDIS_CATEGORY_COND_BR:
      // Only an abort reaches the target of xbegin.
      if (direct && instruction.mnemonic != ZYDIS_MNEMONIC_XBEGIN)
        result.branch = BranchKind::kConditional;
      break;
    case ZYDIS_CATEGORY_UNCOND_BR:
      if (instruction.mnemonic == ZYDIS_MNEMONIC_JMP)
        result.branch = direct ? BranchKind::kJump : BranchKind::kIndirectJump;
      break;
    case ZYDIS_CATEGORY_CALL:
      if (instruction.mnemonic == ZYDIS_MNEMONIC_CALL)
        result.branch = direct ? BranchKind::kCall : BranchKind::kIndirectCall;
      break;
    case ZYDIS_CATEGORY_RET:
      if (instruction.mnemonic == ZYDIS_MNEMONIC_RET) result.branch = BranchKind::kReturn;
      break;
    default:
      break;
  }
  ZyanU64 target = 0;
  if (direct && result.branch != BranchKind::kNone &&
      ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&instruction, operands.data(), address, &target)))
    result.target = target;
}

std::uint16_t WidestVector(const Decoded& it) {
  std::uint16_t widest = 0;
  for (const auto& operand : it.visible()) {
    if (operand.type != ZYDIS_OPERAND_TYPE_REGISTER) continue;
    std::uint16_t bits = 0;
    switch (ZydisRegisterGetClass(operand.reg.value)) {
      case ZYDIS_REGCLASS_MMX:
        bits = 64;
        break;
      case ZYDIS_REGCLASS_XMM:
        bits = 128;
        break;
      case ZYDIS_REGCLASS_YMM:
        bits = 256;
        break;
      case ZYDIS_REGCLASS_ZMM:
        bits = 512;
        break;
      default:
        break;
    }
    widest = std::max(widest, bits);
  }
  return widest;
}

void AddArithmetic(const Decoded& it, Instruction& result) {
  if (it.instruction.meta.category == ZYDIS_CATEGORY_STRINGOP) return;
  const X86Arithmetic& name = FactsOf(it.instruction.mnemonic).arithmetic;
  const std::uint16_t width = WidestVector(it);
  result.vector = width > 0 && !name.scalar;
  if (result.vector) result.vector_bits = width;
  result.floating_point = name.floating_point;
  result.element_bits = name.element_bits;
  const unsigned lanes = result.vector && name.element_bits > 0 ? width / name.element_bits : 1U;
  result.floating_operations = static_cast<std::uint8_t>(lanes * name.operations);
}

void AddFlags(const Decoded& it, Instruction& result) {
  const auto& instruction = it.instruction;
  const auto mnemonic = instruction.mnemonic;
  const auto category = instruction.meta.category;
  constexpr auto kRepeats = ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE;
  result.system_call = mnemonic == ZYDIS_MNEMONIC_SYSCALL || mnemonic == ZYDIS_MNEMONIC_SYSENTER ||
                       (mnemonic == ZYDIS_MNEMONIC_INT && it.all[0].imm.value.u == 0x80);
  result.repeated =
      (category == ZYDIS_CATEGORY_STRINGOP || category == ZYDIS_CATEGORY_IOSTRINGOP) &&
      (instruction.attributes & kRepeats) != 0;
  result.x87 = instruction.meta.isa_ext == ZYDIS_ISA_EXT_X87;
  result.fldcw = mnemonic == ZYDIS_MNEMONIC_FLDCW;
  result.atomic = (instruction.attributes & ZYDIS_ATTRIB_HAS_LOCK) != 0 ||
                  (mnemonic == ZYDIS_MNEMONIC_XCHG && result.stores > 0);
  result.nop = category == ZYDIS_CATEGORY_NOP || category == ZYDIS_CATEGORY_WIDENOP ||
               mnemonic == ZYDIS_MNEMONIC_ENDBR64 || mnemonic == ZYDIS_MNEMONIC_ENDBR32;
  result.prefetch = category == ZYDIS_CATEGORY_PREFETCH || category == ZYDIS_CATEGORY_PREFETCHWT1 ||
                    ((category == ZYDIS_CATEGORY_GATHER || category == ZYDIS_CATEGORY_SCATTER) &&
                     NameOf(it).find("erpf") != std::string_view::npos);
  result.stack_operation = category == ZYDIS_CATEGORY_PUSH || category == ZYDIS_CATEGORY_POP ||
                           category == ZYDIS_CATEGORY_CALL || category == ZYDIS_CATEGORY_RET ||
                           mnemonic == ZYDIS_MNEMONIC_LEAVE || mnemonic == ZYDIS_MNEMONIC_ENTER;
  result.queries_processor = QueriesProcessor(mnemonic);
}

void AddStackPointer(const Decoded& it, Instruction& result) {
  for (const auto& operand : it.operands())
    if (operand.type == ZYDIS_OPERAND_TYPE_REGISTER && IsStackPointer(operand.reg.value) &&
        (operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0)
      result.moves_stack_pointer = true;
  // For leave, Zydis reports the frame pointer as the base.
  result.classes.AddIf(InstructionClass::kStackAccess,
                       result.stack_operation && result.loads + result.stores > 0);
}

void AddReference(const Decoded& it, std::uint64_t address, Instruction& result) {
  if (result.nop) return;
  for (const auto& operand : it.visible()) {
    if (operand.type != ZYDIS_OPERAND_TYPE_MEMORY) continue;
    if (operand.mem.base != ZYDIS_REGISTER_RIP && operand.mem.base != ZYDIS_REGISTER_EIP) continue;
    ZyanU64 value = 0;
    if (!ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&it.instruction, &operand, address, &value)))
      continue;
    result.refers_to = value;
    result.refers_to_data =
        operand.mem.type == ZYDIS_MEMOP_TYPE_MEM && !TouchesNoData(it.instruction);
  }
}

InstructionKind KindOf(const Decoded& it, const Instruction& result) {
  const auto category = it.instruction.meta.category;
  if (category == ZYDIS_CATEGORY_STRINGOP || category == ZYDIS_CATEGORY_IOSTRINGOP)
    return {.computes = false, .marks = {InstructionClass::kString}};
  if (result.nop || result.prefetch) return {.computes = false};
  return FactsOf(it.instruction.mnemonic).kind;
}

OperandType TypeOf(const Decoded& it, const InstructionKind& kind, const Instruction& result) {
  if (!HasOperandType(result)) return OperandType::kNone;
  if (result.x87) return OperandType::kFloat80;
  if (result.floating_point) return FloatType(result.element_bits, result.vector);
  if (kind.float_bits != 0) return FloatType(kind.float_bits, result.vector);
  if (result.vector) return kind.computes ? OperandType::kVectorInteger : OperandType::kVectorData;
  if (result.category == Category::kMem) {
    // cmps has two loads, movs a load and a store.
    const auto accesses = std::max<std::uint32_t>(result.loads, 1);
    return IntegerType(8U * (result.loads > 0 ? result.load_bytes / accesses : result.store_bytes));
  }
  const auto operands = it.visible();
  if (operands.empty() || operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
    return IntegerType(it.instruction.operand_width);
  std::uint32_t bits = operands[0].size;
  // One lane of a vector register: the general-purpose register or the memory operand gives its
  // size.
  if (bits > 64)
    for (const auto& operand : operands)
      if (operand.type != ZYDIS_OPERAND_TYPE_IMMEDIATE)
        bits = std::min<std::uint32_t>(bits, operand.size);
  return IntegerType(bits);
}

}  // namespace

std::optional<Instruction> DecodeX86(std::span<const std::byte> code, std::uint64_t address) {
  Decoded it;
  if (!ReadX86(code, it)) return std::nullopt;
  Instruction result;
  result.length = it.instruction.length;
  result.mnemonic = static_cast<std::uint32_t>(it.instruction.mnemonic);
  AddMemory(it, result);
  AddBranch(it, address, result);
  AddArithmetic(it, result);
  AddFlags(it, result);
  AddStackPointer(it, result);
  AddReference(it, address, result);
  const InstructionKind kind = KindOf(it, result);
  Classify(kind, result);
  result.operand_type = TypeOf(it, kind, result);
  return result;
}

std::string_view X86MnemonicName(std::uint32_t id) {
  if (id == 0 || id > ZYDIS_MNEMONIC_MAX_VALUE) return {};
  return ZydisMnemonicGetString(static_cast<ZydisMnemonic>(id));
}

std::optional<X86Constant> ConstantOfX86(std::span<const std::byte> code, std::uint64_t address) {
  Decoded it;
  if (!ReadX86(code, it)) return std::nullopt;
  const auto operands = it.visible();
  const auto mnemonic = it.instruction.mnemonic;
  X86Constant constant;
  const bool jump = mnemonic == ZYDIS_MNEMONIC_JMP && operands.size() == 1;
  if (!jump) {
    if (operands.size() != 2 || operands[0].type != ZYDIS_OPERAND_TYPE_REGISTER)
      return std::nullopt;
    const auto number = ZydisRegisterGetId(operands[0].reg.value);
    if (number < 0) return std::nullopt;
    constant.register_number = static_cast<std::uint8_t>(number);
  }
  const auto& source = operands.back();
  if (mnemonic == ZYDIS_MNEMONIC_MOV && source.type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
    constant.value = source.imm.value.u;
    return constant;
  }
  if (!jump && mnemonic != ZYDIS_MNEMONIC_LEA && mnemonic != ZYDIS_MNEMONIC_MOV)
    return std::nullopt;
  if (source.type != ZYDIS_OPERAND_TYPE_MEMORY || source.mem.base != ZYDIS_REGISTER_RIP)
    return std::nullopt;
  ZyanU64 value = 0;
  if (!ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&it.instruction, &source, address, &value)))
    return std::nullopt;
  constant.value = value;
  constant.is_slot = mnemonic != ZYDIS_MNEMONIC_LEA;
  return constant;
}

}  // namespace tare::decode
