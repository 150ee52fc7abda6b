// llvm_reader.cc: LLVM's Object, DebugInfo and MC libraries.
#include <llvm/DebugInfo/DIContext.h>
#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstrAnalysis.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>

#include <memory>

#include "code.h"
#include "reader.h"

namespace readers {
namespace {

using namespace llvm;
using tare::decode::Architecture;

template <typename T>
std::optional<T> ValueOf(Expected<T> value) {
  if (value) return std::move(*value);
  consumeError(value.takeError());
  return std::nullopt;
}

std::uint64_t ReadTable(const object::ELFObjectFileBase::elf_symbol_iterator_range& table,
                        bool dynamic, Listing* listing) {
  std::uint64_t count = 0;
  for (const object::ELFSymbolRef symbol : table) {
    const auto type = symbol.getELFType();
    if (type != ELF::STT_FUNC && type != ELF::STT_GNU_IFUNC) continue;
    const auto flags = ValueOf(symbol.getFlags());
    const auto name = ValueOf(symbol.getName());
    const auto address = ValueOf(symbol.getAddress());
    if (!flags || !name || !address || (*flags & object::SymbolRef::SF_Undefined) != 0 ||
        (*flags & object::SymbolRef::SF_Absolute) != 0)
      continue;
    ++count;
    if (listing != nullptr)
      listing->Add(Symbol{std::string_view(name->data(), name->size()), *address, symbol.getSize(),
                          dynamic, symbol.getBinding() != ELF::STB_LOCAL,
                          symbol.getBinding() == ELF::STB_WEAK, type == ELF::STT_GNU_IFUNC});
  }
  return count;
}

std::uint64_t Symbols(const std::string& path, Listing* listing) {
  auto file = ValueOf(object::ObjectFile::createObjectFile(path));
  if (!file) return 0;
  const auto* elf = dyn_cast<object::ELFObjectFileBase>(file->getBinary());
  if (elf == nullptr) return 0;
  return ReadTable(elf->symbols(), false, listing) +
         ReadTable(elf->getDynamicSymbolIterators(), true, listing);
}

void Ignore(Error error) { consumeError(std::move(error)); }

// Calls visit(context, unit) for each unit that is not a type unit.
template <typename Visit>
void ForEachUnit(const std::string& path, Visit visit) {
  auto file = ValueOf(object::ObjectFile::createObjectFile(path));
  if (!file) return;
  const auto context =
      DWARFContext::create(*file->getBinary(), DWARFContext::ProcessDebugRelocations::Process,
                           nullptr, "", Ignore, Ignore);
  for (const auto& unit : context->compile_units()) visit(*context, *unit);
}

constexpr auto kPath = DILineInfoSpecifier::FileLineInfoKind::AbsoluteFilePath;

// Paths of a line table by number, made once each.
class Paths {
 public:
  Paths(const DWARFDebugLine::LineTable* table, const char* directory)
      : table_(table), directory_(directory != nullptr ? directory : "") {}
  const std::string& Of(std::uint64_t number) {
    const auto [known, is_new] = paths_.try_emplace(number);
    std::string path;
    if (is_new && table_ != nullptr && table_->getFileNameByIndex(number, directory_, kPath, path))
      known->second = Normal(path);
    return known->second;
  }

 private:
  const DWARFDebugLine::LineTable* table_;
  std::string directory_;
  std::map<std::uint64_t, std::string> paths_;
};

std::uint64_t Lines(const std::string& path, Listing* listing) {
  std::uint64_t count = 0;
  volatile std::uint64_t kept = 0;
  std::uint64_t sum = 0;
  ForEachUnit(path, [&](DWARFContext& context, DWARFUnit& unit) {
    auto read = context.getLineTableForUnit(&unit, Ignore);
    if (!read) {
      consumeError(read.takeError());
      return;
    }
    if (*read == nullptr) return;
    const auto& table = **read;
    Paths paths(&table, unit.getCompilationDir());
    std::vector<LineRow> rows;
    for (const auto& row : table.Rows) {
      sum += row.Address.Address + row.Line;
      ++count;
      if (listing == nullptr) continue;
      if (row.EndSequence) {
        listing->AddSequence(rows, row.Address.Address);
        rows.clear();
      } else {
        rows.push_back({row.Address.Address, paths.Of(row.File), row.Line});
      }
    }
  });
  kept = sum;
  (void)kept;
  return count;
}

std::vector<AddressRange> RangesOf(const DWARFDie& entry) {
  std::vector<AddressRange> ranges;
  if (const auto read = ValueOf(entry.getAddressRanges()))
    for (const auto& range : *read) ranges.push_back({range.LowPC, range.HighPC});
  return ranges;
}

class FunctionWalk {
 public:
  FunctionWalk(DWARFContext& context, DWARFUnit& unit, Listing* listing)
      : paths_(listing != nullptr ? context.getLineTableForUnit(&unit) : nullptr,
               unit.getCompilationDir()),
        listing_(listing) {}

  void Walk(const DWARFDie& root) {
    std::vector<std::pair<DWARFDie, Place>> open;
    if (const DWARFDie child = root.getFirstChild()) open.emplace_back(child, Place());
    while (!open.empty()) {
      const auto [entry, place] = open.back();
      const Place inner = Visit(entry, place);
      if (const DWARFDie next = entry.getSibling()) {
        open.back().first = next;
      } else {
        open.pop_back();
      }
      if (const DWARFDie child = entry.getFirstChild()) open.emplace_back(child, inner);
    }
  }

  std::uint64_t count() const { return count_; }

 private:
  struct Place {
    std::uint64_t inside = 0;
    unsigned depth = 0;
    bool is_function = false;
  };

  Place Visit(const DWARFDie& entry, Place place) {
    if (entry.isNULL()) return place;
    if (entry.getTag() == dwarf::DW_TAG_subprogram) return Concrete(entry);
    if (entry.getTag() != dwarf::DW_TAG_inlined_subroutine || !place.is_function) return place;
    ++place.depth;
    auto ranges = RangesOf(entry);
    const char* name = entry.getSubroutineName(DINameKind::LinkageName);
    std::uint32_t file = 0, line = 0, column = 0, discriminator = 0;
    entry.getCallerFrame(file, line, column, discriminator);
    if (ranges.empty()) return place;
    ++count_;
    if (listing_ != nullptr)
      listing_->Add(Inlined{place.inside, place.depth, name != nullptr ? name : "", paths_.Of(file),
                            line, std::move(ranges)});
    return place;
  }

  Place Concrete(const DWARFDie& entry) {
    auto ranges = RangesOf(entry);
    if (ranges.empty()) return {};
    ++count_;
    const char* name = entry.getSubroutineName(DINameKind::LinkageName);
    if (listing_ == nullptr) return {ranges[0].start, 0, true};
    const auto start = dwarf::toAddress(entry.find(dwarf::DW_AT_entry_pc));
    const auto place = listing_->AddConcrete(name != nullptr ? name : "", std::move(ranges), start);
    return {place.value_or(0), 0, place.has_value()};
  }

  Paths paths_;
  Listing* listing_;
  std::uint64_t count_ = 0;
};

std::uint64_t Functions(const std::string& path, Listing* listing) {
  std::uint64_t count = 0;
  ForEachUnit(path, [&](DWARFContext& context, DWARFUnit& unit) {
    FunctionWalk walk(context, unit, listing);
    walk.Walk(unit.getNonSkeletonUnitDIE(false));
    count += walk.count();
  });
  return count;
}

// Everything that decoding for one architecture needs.
class Decoder {
 public:
  explicit Decoder(Architecture architecture) {
    const bool x86 = architecture == Architecture::kX86_64;
    const std::string triple = x86 ? "x86_64-linux-gnu" : "aarch64-linux-gnu";
    std::string problem;
    const Target* target = TargetRegistry::lookupTarget(triple, problem);
    registers_.reset(target->createMCRegInfo(triple));
    assembly_.reset(target->createMCAsmInfo(*registers_, triple, MCTargetOptions()));
    subtarget_.reset(target->createMCSubtargetInfo(triple, "", x86 ? "" : "+all"));
    instructions_.reset(target->createMCInstrInfo());
    analysis_.reset(target->createMCInstrAnalysis(instructions_.get()));
    context_ = std::make_unique<MCContext>(Triple(triple), assembly_.get(), registers_.get(),
                                           subtarget_.get());
    disassembler_.reset(target->createMCDisassembler(*subtarget_, *context_));
    masks_.push_back(0);  // no register
    for (unsigned i = 1; i < registers_->getNumRegs(); ++i) {
      masks_.push_back(0);
      const auto add = [&](unsigned which) {
        const StringRef name = registers_->getName(which);
        if (const auto number = RegisterNumber(architecture, std::string_view(name)))
          masks_.back() |= std::uint64_t{1} << *number;
      };
      // Pairs of registers contain those that have a number.
      add(i);
      for (const auto part : registers_->subregs(i)) add(part);
    }
  }

  InstructionFact Decode(std::span<const std::byte> bytes, std::uint64_t address,
                         bool with_registers, bool with_name) const {
    InstructionFact fact;
    MCInst it;
    std::uint64_t size = 0;
    const ArrayRef<std::uint8_t> code(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                      bytes.size());
    // SoftFail: bits that should be 0 or 1 are not.
    if (disassembler_->getInstruction(it, size, code, address, nulls()) == MCDisassembler::Fail)
      return fact;
    fact.length = static_cast<unsigned>(size);
    const MCInstrDesc& description = instructions_->get(it.getOpcode());
    fact.branch = BranchOf(it, description);
    std::uint64_t target = 0;
    if (fact.branch != "none" && analysis_->evaluateBranch(it, address, size, target))
      fact.target = target;
    fact.loads = description.mayLoad();
    fact.stores = description.mayStore();
    if (with_registers && !fact.branch.ends_with("call")) fact.written = Written(it, description);
    if (with_name) fact.name = instructions_->getName(it.getOpcode());
    return fact;
  }

 private:
  std::string_view BranchOf(const MCInst& it, const MCInstrDesc& description) const {
    const bool direct = description.getNumOperands() > 0 && HasTarget(it, description);
    if (description.isReturn()) return "return";
    if (description.isCall()) return direct ? "call" : "indirect-call";
    if (description.isIndirectBranch()) return "indirect-jump";
    if (description.isConditionalBranch()) return "conditional";
    if (description.isUnconditionalBranch()) return "jump";
    return "none";
  }

  static bool HasTarget(const MCInst& it, const MCInstrDesc& description) {
    for (unsigned i = 0; i < description.getNumOperands() && i < it.getNumOperands(); ++i)
      if (description.operands()[i].OperandType == MCOI::OPERAND_PCREL) return true;
    return false;
  }

  std::uint64_t Written(const MCInst& it, const MCInstrDesc& description) const {
    std::uint64_t mask = 0;
    for (unsigned i = 0; i < description.getNumDefs() && i < it.getNumOperands(); ++i)
      if (it.getOperand(i).isReg()) mask |= masks_[it.getOperand(i).getReg()];
    for (const auto implicit : description.implicit_defs()) mask |= masks_[implicit];
    return mask;
  }

  std::unique_ptr<MCRegisterInfo> registers_;
  std::unique_ptr<MCAsmInfo> assembly_;
  std::unique_ptr<MCSubtargetInfo> subtarget_;
  std::unique_ptr<MCInstrInfo> instructions_;
  std::unique_ptr<MCInstrAnalysis> analysis_;
  std::unique_ptr<MCContext> context_;
  std::unique_ptr<MCDisassembler> disassembler_;
  std::vector<std::uint64_t> masks_;
};

std::uint64_t Decode(const std::string& path, Listing* listing, bool with_registers) {
  const Code code = ReadCode(path);
  const Decoder decoder(code.architecture);
  return DecodeAll(code, listing, [&](std::span<const std::byte> bytes, std::uint64_t address) {
    return decoder.Decode(bytes, address, with_registers, listing != nullptr);
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
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86Disassembler();
  LLVMInitializeAArch64TargetInfo();
  LLVMInitializeAArch64TargetMC();
  LLVMInitializeAArch64Disassembler();
  return RunReader({.symbols = Symbols,
                    .lines = Lines,
                    .functions = Functions,
                    .instructions = Instructions,
                    .registers = Registers},
                   argc, argv);
}
