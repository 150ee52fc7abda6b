// zydis_reader.cc: Zydis alone, without tare's cache of decoded forms.
#include <Zydis/Zydis.h>

#include "code.h"
#include "reader.h"

namespace readers {
namespace {

std::string_view BranchOf(const ZydisDecodedInstruction& it, const ZydisDecodedOperand* operands) {
  const bool direct =
      it.operand_count_visible > 0 && operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
  switch (it.meta.category) {
    case ZYDIS_CATEGORY_COND_BR:
      return it.mnemonic == ZYDIS_MNEMONIC_XBEGIN || it.mnemonic == ZYDIS_MNEMONIC_XEND
                 ? "none"
                 : "conditional";
    case ZYDIS_CATEGORY_UNCOND_BR:
      if (it.mnemonic != ZYDIS_MNEMONIC_JMP) return "none";
      return direct ? "jump" : "indirect-jump";
    case ZYDIS_CATEGORY_CALL:
      return direct ? "call" : "indirect-call";
    case ZYDIS_CATEGORY_RET:
      return it.mnemonic == ZYDIS_MNEMONIC_RET ? "return" : "none";
    default:
      return "none";
  }
}

int NumberOf(ZydisRegister name) {
  const auto whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, name);
  return ZydisRegisterGetClass(whole) == ZYDIS_REGCLASS_GPR64 ? ZydisRegisterGetId(whole) : -1;
}

void AddOperands(const ZydisDecodedInstruction& it, const ZydisDecodedOperand* operands,
                 bool with_registers, InstructionFact& fact) {
  std::uint64_t load_bytes = 0, store_bytes = 0, written = 0;
  bool loads = false, stores = false;
  for (unsigned i = 0; i < it.operand_count; ++i) {
    const auto& one = operands[i];
    const bool reads = (one.actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0;
    const bool writes = (one.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
    if (one.type == ZYDIS_OPERAND_TYPE_MEMORY && one.mem.type == ZYDIS_MEMOP_TYPE_MEM) {
      loads |= reads;
      stores |= writes;
      load_bytes += reads ? one.size / 8 : 0;
      store_bytes += writes ? one.size / 8 : 0;
    } else if (with_registers && writes && one.type == ZYDIS_OPERAND_TYPE_REGISTER) {
      const int number = NumberOf(one.reg.value);
      if (number >= 0) written |= std::uint64_t{1} << number;
    }
  }
  fact.loads = loads;
  fact.stores = stores;
  fact.load_bytes = load_bytes;
  fact.store_bytes = store_bytes;
  if (with_registers && it.meta.category != ZYDIS_CATEGORY_CALL) fact.written = written;
}

std::uint64_t Decode(const std::string& path, Listing* listing, bool with_registers) {
  const Code code = ReadCode(path);
  if (code.architecture != tare::decode::Architecture::kX86_64) return 0;
  ZydisDecoder decoder;
  ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  return DecodeAll(code, listing, [&](std::span<const std::byte> bytes, std::uint64_t address) {
    InstructionFact fact;
    ZydisDecodedInstruction it;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes.data(), bytes.size(), &it, operands)))
      return fact;
    fact.length = it.length;
    fact.branch = BranchOf(it, operands);
    ZyanU64 target = 0;
    if (fact.branch != "none" && operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
        operands[0].imm.is_relative &&
        ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&it, &operands[0], address, &target)))
      fact.target = target;
    AddOperands(it, operands, with_registers, fact);
    if (listing != nullptr) fact.name = ZydisMnemonicGetString(it.mnemonic);
    return fact;
  });
}

std::uint64_t Instructions(const std::string& path, Listing* listing) {
  return Decode(path, listing, false);
}

std::uint64_t Registers(const std::string& path, Listing* listing) {
  return Decode(path, listing, true);
}

}  // namespace
}  // namespace readers

int main(int argc, char** argv) {
  using namespace readers;
  return RunReader({.instructions = Instructions, .registers = Registers}, argc, argv);
}
