// updates.cc: maps the address of a store to the variable and the members that contain it.
#include "updates.h"

#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PatternMatch.h>

#include <optional>

namespace tare::clang_engine {
namespace {

using llvm::DIType;

constexpr unsigned kLongestChain = 16;

// The address and extent of a write; the extent may be unknown.
struct Target {
  llvm::Value* address = nullptr;
  std::optional<StoredBits> bits;  // relative to the address
};

std::int64_t BitsOf(const llvm::DataLayout& layout, llvm::Type* type) {
  return static_cast<std::int64_t>(layout.getTypeStoreSizeInBits(type).getKnownMinValue());
}

StoredKind KindOf(const llvm::Type* type) {
  if (type->isFloatingPointTy()) return StoredKind::kFloat;
  if (type->isPointerTy()) return StoredKind::kPointer;
  return type->isIntegerTy() ? StoredKind::kInteger : StoredKind::kBytes;
}

class AddressReader {
 public:
  AddressReader(const MemberIndex& types, const llvm::DataLayout& layout)
      : types_(types), layout_(layout) {}

  void Read(const Target& target, Update& update) const;
  // Returns the object that contains the address, without constant offsets.
  static llvm::Value* RootOf(llvm::Value* address);

 private:
  void ReadLevels(llvm::GEPOperator& gep, const std::optional<StoredBits>& below,
                  MemberNames& names) const;
  std::vector<const DIType*> SourceTypes(llvm::StructType* type, llvm::Value* base) const;
  // Returns the type that a pointer is declared to point to; null when unknown.
  const DIType* Pointee(llvm::Value* pointer, unsigned depth) const;
  const DIType* PointeeThrough(llvm::Value* address, unsigned depth) const;
  std::optional<std::int64_t> OffsetOf(const llvm::GEPOperator& gep) const;

  const MemberIndex& types_;
  const llvm::DataLayout& layout_;
};

llvm::Value* WithoutWrapper(llvm::Value* address) {
  for (;;) {
    if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(address);
        call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::threadlocal_address) {
      address = call->getArgOperand(0);
    } else if (auto* alias = llvm::dyn_cast<llvm::GlobalAlias>(address)) {
      address = alias->getAliasee();
    } else if (llvm::Operator::getOpcode(address) == llvm::Instruction::AddrSpaceCast) {
      address = llvm::cast<llvm::Operator>(address)->getOperand(0);
    } else {
      return address;
    }
  }
}

// With optimisation, clang describes a variable by its assignments, the first at the alloca.
const DIType* DeclaredType(llvm::Value* local) {
  for (const llvm::DbgVariableRecord* record : llvm::findDVRDeclares(local)) {
    if (record->getExpression()->getNumElements() == 0) return record->getVariable()->getType();
  }
  const auto* memory = llvm::dyn_cast<llvm::AllocaInst>(local);
  if (memory == nullptr) return nullptr;
  for (const llvm::DbgVariableRecord* record : llvm::at::getDVRAssignmentMarkers(memory)) {
    if (record->getAddress() == memory && !record->getExpression()->getFragmentInfo()) {
      return record->getVariable()->getType();
    }
  }
  return nullptr;
}

const DIType* DeclaredType(const llvm::GlobalVariable& variable) {
  llvm::SmallVector<llvm::DIGlobalVariableExpression*, 1> debug;
  variable.getDebugInfo(debug);
  return debug.empty() ? nullptr : debug.front()->getVariable()->getType();
}

std::optional<std::int64_t> AddressReader::OffsetOf(const llvm::GEPOperator& gep) const {
  llvm::APInt offset(64, 0);
  if (!gep.accumulateConstantOffset(layout_, offset)) return std::nullopt;
  return offset.getSExtValue() * 8;
}

llvm::Value* AddressReader::RootOf(llvm::Value* address) {
  for (;;) {
    address = WithoutWrapper(address);
    auto* gep = llvm::dyn_cast<llvm::GEPOperator>(address);
    if (gep == nullptr) return address;
    address = gep->getPointerOperand();
  }
}

const DIType* AddressReader::PointeeThrough(llvm::Value* address, unsigned depth) const {
  std::int64_t offset = 0;
  address = WithoutWrapper(address);
  while (auto* gep = llvm::dyn_cast<llvm::GEPOperator>(address)) {
    const auto own = OffsetOf(*gep);
    if (!own) return nullptr;
    offset += *own;
    if (auto* record = llvm::dyn_cast<llvm::StructType>(gep->getSourceElementType())) {
      const auto candidates = types_.TypesOf(record);
      if (candidates.size() == 1) return types_.PointeeAt(candidates.front(), offset);
    }
    address = WithoutWrapper(gep->getPointerOperand());
  }
  const DIType* type = Pointee(address, depth);
  return type == nullptr ? nullptr : types_.PointeeAt(type, offset);
}

const DIType* AddressReader::Pointee(llvm::Value* pointer, unsigned depth) const {
  pointer = WithoutWrapper(pointer);
  if (depth > kLongestChain) return nullptr;
  if (const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(pointer)) {
    return DeclaredType(*global);
  }
  if (llvm::isa<llvm::AllocaInst, llvm::Argument>(pointer)) return DeclaredType(pointer);
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(pointer)) {
    return PointeeThrough(load->getPointerOperand(), depth + 1);
  }
  auto* gep = llvm::dyn_cast<llvm::GEPOperator>(pointer);
  if (gep == nullptr || gep->getNumIndices() != 1) return nullptr;
  // An element of an array.
  const DIType* type = Bare(Pointee(gep->getPointerOperand(), depth + 1));
  const auto size = static_cast<std::uint64_t>(BitsOf(layout_, gep->getSourceElementType()));
  return type != nullptr && type->getSizeInBits() == size ? type : nullptr;
}

std::vector<const DIType*> AddressReader::SourceTypes(llvm::StructType* type,
                                                      llvm::Value* base) const {
  const auto candidates = types_.TypesOf(type);
  if (candidates.size() > 1) {
    const DIType* declared = Bare(Pointee(base, 0));
    if (llvm::is_contained(candidates, declared)) return {declared};
  }
  return {candidates.begin(), candidates.end()};
}

void AddressReader::ReadLevels(llvm::GEPOperator& gep, const std::optional<StoredBits>& below,
                               MemberNames& names) const {
  struct Level {
    llvm::StructType* type;
    std::int64_t field;  // bit offset of the field in it
    bool known;          // whether all later steps are constant
    std::int64_t rest;   // bit offset of the later steps
  };
  std::vector<Level> levels;
  for (auto step = llvm::gep_type_begin(gep), end = llvm::gep_type_end(gep); step != end; ++step) {
    if (llvm::StructType* type = step.getStructTypeOrNull()) {
      const auto index =
          static_cast<unsigned>(llvm::cast<llvm::ConstantInt>(step.getOperand())->getZExtValue());
      const auto field = static_cast<std::int64_t>(
          layout_.getStructLayout(type)->getElementOffsetInBits(index).getFixedValue());
      for (Level& level : levels) level.rest += field;
      levels.push_back({type, field, true, 0});
      continue;
    }
    const auto* index = llvm::dyn_cast<llvm::ConstantInt>(step.getOperand());
    const auto stride =
        static_cast<std::int64_t>(step.getSequentialElementStride(layout_).getKnownMinValue()) * 8;
    for (Level& level : levels) {
      if (index == nullptr) {
        level.known = false;
      } else {
        level.rest += index->getSExtValue() * stride;
      }
    }
  }
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const Level& level = levels[i];
    llvm::Value* base = i == 0 ? gep.getPointerOperand() : nullptr;
    const auto sources =
        base == nullptr ? std::vector<const DIType*>() : SourceTypes(level.type, base);
    for (const DIType* type : sources) {
      if (level.known && below) {
        const auto range = below->range.Moved(level.field + level.rest);
        types_.AddTouched(type, {range, below->kind}, names);
      } else {
        types_.AddMemberAt(type, level.field, names);
      }
    }
    if (base != nullptr) continue;
    for (const llvm::DICompositeType* type : types_.TypesOf(level.type)) {
      types_.AddMemberAt(type, level.field, names);
    }
  }
}

void AddressReader::Read(const Target& target, Update& update) const {
  std::optional<StoredBits> bits = target.bits;
  llvm::Value* address = WithoutWrapper(target.address);
  while (auto* gep = llvm::dyn_cast<llvm::GEPOperator>(address)) {
    ReadLevels(*gep, bits, update.members);
    const auto offset = OffsetOf(*gep);
    if (bits && offset) {
      bits->range = bits->range.Moved(*offset);
    } else if (gep->getNumIndices() != 1 || !bits) {
      bits.reset();
    } else if (const DIType* type = Pointee(gep, 0)) {
      types_.AddTouched(type, *bits, update.members);
      bits.reset();
    } else {
      bits.reset();
    }
    address = WithoutWrapper(gep->getPointerOperand());
  }
  update.variable = llvm::dyn_cast<llvm::GlobalVariable>(address);
  if (!bits) return;
  if (const DIType* type = Pointee(address, 0)) {
    types_.AddTouched(type, *bits, update.members);
    return;
  }
  // A variable that is only declared here has only its IR type.
  if (update.variable == nullptr) return;
  auto* record = llvm::dyn_cast<llvm::StructType>(update.variable->getValueType());
  if (record == nullptr) return;
  for (const llvm::DICompositeType* type : types_.TypesOf(record)) {
    types_.AddTouched(type, *bits, update.members);
  }
}

// Returns the bits that change: clang loads the neighbours of a bit field and stores them back.
BitRange ChangedBits(const llvm::StoreInst& store, std::int64_t size) {
  using namespace llvm::PatternMatch;
  llvm::Value* value = const_cast<llvm::Value*>(store.getValueOperand());
  const llvm::APInt* mask = nullptr;
  llvm::Instruction* load = nullptr;
  const auto kept = m_And(m_Instruction(load), m_APInt(mask));
  if (!match(value, kept) && !match(value, m_Or(kept, m_Value()))) return {0, size};
  const auto* same = llvm::dyn_cast<llvm::LoadInst>(load);
  if (same == nullptr || same->getPointerOperand() != store.getPointerOperand() ||
      mask->isAllOnes()) {
    return {0, size};
  }
  const llvm::APInt changed = ~*mask;
  return {static_cast<std::int64_t>(changed.countr_zero()),
          static_cast<std::int64_t>(changed.getBitWidth() - changed.countl_zero())};
}

bool PutsArgumentInPlace(const llvm::StoreInst& store) {
  const llvm::Value* value = store.getValueOperand();
  while (const auto* cast = llvm::dyn_cast<llvm::CastInst>(value)) value = cast->getOperand(0);
  llvm::Value* address = const_cast<llvm::Value*>(store.getPointerOperand());
  return llvm::isa<llvm::Argument>(value) &&
         llvm::isa<llvm::AllocaInst>(AddressReader::RootOf(address));
}

std::optional<Target> TargetOf(llvm::Instruction& instruction, const llvm::DataLayout& layout) {
  const auto of = [&](llvm::Value* address, llvm::Type* type) {
    return Target{address, StoredBits{{0, BitsOf(layout, type)}, KindOf(type)}};
  };
  if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    if (PutsArgumentInPlace(*store)) return std::nullopt;
    Target target = of(store->getPointerOperand(), store->getValueOperand()->getType());
    target.bits->range = ChangedBits(*store, target.bits->range.to);
    return target;
  }
  if (auto* change = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
    return of(change->getPointerOperand(), change->getValOperand()->getType());
  }
  if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
    return of(exchange->getPointerOperand(), exchange->getNewValOperand()->getType());
  }
  auto* copy = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction);
  if (copy == nullptr) return std::nullopt;
  Target target{copy->getRawDest(), std::nullopt};
  if (const auto* length = llvm::dyn_cast<llvm::ConstantInt>(copy->getLength())) {
    const auto bits = static_cast<std::int64_t>(length->getLimitedValue(1U << 30)) * 8;
    target.bits = StoredBits{{0, bits}, StoredKind::kBytes};
  }
  return target;
}

}  // namespace

std::vector<Update> UpdatesOf(llvm::Function& function, const MemberIndex& types) {
  const llvm::DataLayout& layout = function.getParent()->getDataLayout();
  const AddressReader reader(types, layout);
  std::vector<Update> updates;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    const auto target = TargetOf(instruction, layout);
    if (!target) continue;
    Update update;
    update.store = &instruction;
    update.when_exchanged = llvm::isa<llvm::AtomicCmpXchgInst>(instruction);
    reader.Read(*target, update);
    if (update.variable != nullptr || !update.members.empty()) updates.push_back(std::move(update));
  }
  return updates;
}

}  // namespace tare::clang_engine
