// members.cc: maps bits of an object to the names of its members.
#include "members.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugInfo.h>

#include <algorithm>

#include "names.h"

namespace tare::clang_engine {
namespace {

using llvm::DICompositeType;
using llvm::DIDerivedType;
using llvm::DIType;

// Deeper than real nesting; types of malformed modules may contain themselves.
constexpr unsigned kDeepest = 32;

bool IsRecord(const DICompositeType& type) {
  const auto tag = type.getTag();
  return tag == llvm::dwarf::DW_TAG_structure_type || tag == llvm::dwarf::DW_TAG_class_type ||
         tag == llvm::dwarf::DW_TAG_union_type;
}

bool IsPart(const DIDerivedType& part) {
  return (part.getTag() == llvm::dwarf::DW_TAG_member ||
          part.getTag() == llvm::dwarf::DW_TAG_inheritance) &&
         !part.isStaticMember();
}

std::int64_t OffsetOf(const DIDerivedType& part) {
  return static_cast<std::int64_t>(part.getOffsetInBits());
}

// A base class, and any other part without a size, has the size of its type.
std::int64_t SizeOf(const DIDerivedType& part) {
  if (part.getSizeInBits() != 0) return static_cast<std::int64_t>(part.getSizeInBits());
  const DIType* type = Bare(part.getBaseType());
  return type == nullptr ? 0 : static_cast<std::int64_t>(type->getSizeInBits());
}

bool Overlap(const BitRange& a, const BitRange& b) { return a.from < b.to && b.from < a.to; }

std::vector<const DIDerivedType*> PartsOf(const DICompositeType& record) {
  std::vector<const DIDerivedType*> parts;
  for (const llvm::DINode* element : record.getElements()) {
    const auto* part = llvm::dyn_cast_or_null<DIDerivedType>(element);
    if (part != nullptr && IsPart(*part)) parts.push_back(part);
  }
  return parts;
}

const DIType* ElementOf(const DICompositeType& array) { return Bare(array.getBaseType()); }

bool FitsScalar(const DIType& type, const StoredBits& bits) {
  const auto size = static_cast<std::int64_t>(type.getSizeInBits());
  if (bits.range.from != 0 || bits.range.to != size) return false;
  if (const auto* basic = llvm::dyn_cast<llvm::DIBasicType>(&type)) {
    const bool is_float = basic->getEncoding() == llvm::dwarf::DW_ATE_float;
    return is_float ? bits.kind == StoredKind::kFloat : bits.kind == StoredKind::kInteger;
  }
  if (type.getTag() == llvm::dwarf::DW_TAG_enumeration_type) {
    return bits.kind == StoredKind::kInteger;
  }
  return bits.kind == StoredKind::kPointer;
}

// Whether a store of this kind can write a union member of this type.
bool Fits(const DIType* type, const StoredBits& bits, unsigned depth) {
  type = Bare(type);
  if (type == nullptr || depth > kDeepest) return false;
  if (bits.kind == StoredKind::kBytes) return true;
  const auto* composite = llvm::dyn_cast<DICompositeType>(type);
  if (composite == nullptr || composite->getTag() == llvm::dwarf::DW_TAG_enumeration_type) {
    return FitsScalar(*type, bits);
  }
  if (composite->getTag() == llvm::dwarf::DW_TAG_array_type) {
    const DIType* element = ElementOf(*composite);
    const auto size = element == nullptr ? 0 : static_cast<std::int64_t>(element->getSizeInBits());
    if (size == 0) return false;
    const std::int64_t start = bits.range.from / size * size;
    return Fits(element, {bits.range.Moved(-start), bits.kind}, depth + 1);
  }
  return llvm::any_of(PartsOf(*composite), [&](const DIDerivedType* part) {
    if (part->isBitField()) {
      return Overlap(bits.range, {OffsetOf(*part), OffsetOf(*part) + SizeOf(*part)});
    }
    return Fits(part->getBaseType(), {bits.range.Moved(-OffsetOf(*part)), bits.kind}, depth + 1);
  });
}

// Maps "struct.ns::Table.3" to "ns::Table" and "class.B.base" to "B".
std::string SourceNameOf(llvm::StringRef name) {
  name = name.split('.').second;
  const auto [before, digits] = name.rsplit('.');
  if (!digits.empty() && llvm::all_of(digits, llvm::isDigit)) name = before;
  name.consume_back(".base");
  return WithoutTemplateArguments(name);
}

}  // namespace

const DIType* Bare(const DIType* type) {
  while (const auto* derived = llvm::dyn_cast_or_null<DIDerivedType>(type)) {
    switch (derived->getTag()) {
      case llvm::dwarf::DW_TAG_typedef:
      case llvm::dwarf::DW_TAG_const_type:
      case llvm::dwarf::DW_TAG_volatile_type:
      case llvm::dwarf::DW_TAG_atomic_type:
      case llvm::dwarf::DW_TAG_restrict_type:
        type = derived->getBaseType();
        break;
      default:
        return type;
    }
  }
  return type;
}

MemberIndex::MemberIndex(llvm::Module& module) : layout_(module.getDataLayout()) {
  llvm::DebugInfoFinder finder;
  finder.processModule(module);
  for (const DIType* type : finder.types()) {
    const auto* name = llvm::dyn_cast<DIDerivedType>(type);
    if (name == nullptr || name->getTag() != llvm::dwarf::DW_TAG_typedef) continue;
    const auto* named = llvm::dyn_cast_or_null<DICompositeType>(name->getBaseType());
    if (named == nullptr || !named->getName().empty()) continue;
    const std::string around = name->getScope() == nullptr ? "" : QualifiedName(*name->getScope());
    typedef_names_.try_emplace(
        named, around.empty() ? name->getName().str() : around + "::" + name->getName().str());
  }
  for (const DIType* type : finder.types()) {
    const auto* record = llvm::dyn_cast<DICompositeType>(type);
    if (record == nullptr || !IsRecord(*record) || record->isForwardDecl()) continue;
    by_name_[WithoutTemplateArguments(NameOf(*record))].push_back(record);
  }
}

std::string MemberIndex::NameOf(const DICompositeType& type) const {
  const auto found = typedef_names_.find(&type);
  if (found != typedef_names_.end()) return found->second;
  return type.getName().empty() ? "" : QualifiedName(type);
}

std::vector<const DICompositeType*> MemberIndex::TypesOf(llvm::StructType* type) const {
  if (!type->hasName() || type->isOpaque()) return {};
  const auto found = by_name_.find(SourceNameOf(type->getName()));
  if (found == by_name_.end()) return {};
  const bool is_base = type->getName().contains(".base");
  const std::uint64_t size = layout_.getTypeAllocSizeInBits(type);
  std::vector<const DICompositeType*> types;
  for (const DICompositeType* candidate : found->second) {
    if (is_base || candidate->getSizeInBits() == size) types.push_back(candidate);
  }
  return types;
}

void MemberIndex::AddOfMember(const DIDerivedType& member, const std::string& owner,
                              const StoredBits& bits, MemberNames& names, unsigned depth) const {
  const StoredBits inside{bits.range.Moved(-OffsetOf(member)), bits.kind};
  // Members of a base class and of an unnamed struct or union belong to the enclosing type.
  const auto* record = llvm::dyn_cast_or_null<DICompositeType>(Bare(member.getBaseType()));
  const bool is_base = member.getTag() == llvm::dwarf::DW_TAG_inheritance;
  if (is_base || member.getName().empty()) {
    AddOf(member.getBaseType(), is_base ? "" : owner, inside, names, depth);
    return;
  }
  if (!owner.empty()) names.insert(owner + member.getName().str());
  if (member.isBitField()) return;
  const bool nameless = record != nullptr && IsRecord(*record) && NameOf(*record).empty();
  AddOf(member.getBaseType(), nameless ? owner + member.getName().str() + "." : "", inside, names,
        depth);
}

void MemberIndex::AddOfRecord(const DICompositeType& record, const std::string& owner,
                              const StoredBits& bits, MemberNames& names, unsigned depth) const {
  const std::string own = NameOf(record);
  const std::string prefix = own.empty() ? owner : own + "::";
  const bool is_union = record.getTag() == llvm::dwarf::DW_TAG_union_type;
  for (const DIDerivedType* part : PartsOf(record)) {
    const BitRange room{OffsetOf(*part), OffsetOf(*part) + SizeOf(*part)};
    if (!Overlap(bits.range, room)) continue;
    const StoredBits inside{bits.range.Moved(-room.from), bits.kind};
    if (is_union && !part->isBitField() && !Fits(part->getBaseType(), inside, 0)) continue;
    AddOfMember(*part, prefix, bits, names, depth);
  }
}

void MemberIndex::AddOf(const DIType* type, const std::string& owner, const StoredBits& bits,
                        MemberNames& names, unsigned depth) const {
  const auto* composite = llvm::dyn_cast_or_null<DICompositeType>(Bare(type));
  if (composite == nullptr || depth > kDeepest) return;
  if (IsRecord(*composite)) {
    AddOfRecord(*composite, owner, bits, names, depth + 1);
    return;
  }
  const DIType* element =
      composite->getTag() == llvm::dwarf::DW_TAG_array_type ? ElementOf(*composite) : nullptr;
  const auto size = element == nullptr ? 0 : static_cast<std::int64_t>(element->getSizeInBits());
  if (size == 0) return;
  const std::int64_t start = std::max<std::int64_t>(0, bits.range.from / size * size);
  StoredBits inside{bits.range.Moved(-start), bits.kind};
  if (inside.range.to > size) inside.range = {0, size};
  AddOf(element, owner, inside, names, depth + 1);
}

void MemberIndex::AddTouched(const DIType* type, const StoredBits& bits, MemberNames& names) const {
  AddOf(type, "", bits, names, 0);
}

void MemberIndex::AddMemberAt(const DIType* type, std::int64_t bit, MemberNames& names) const {
  const auto* record = llvm::dyn_cast_or_null<DICompositeType>(Bare(type));
  if (record == nullptr || !IsRecord(*record)) return;
  for (const DIDerivedType* part : PartsOf(*record)) {
    if (!Overlap({bit, bit + 1}, {OffsetOf(*part), OffsetOf(*part) + SizeOf(*part)})) continue;
    const std::string owner = NameOf(*record);
    if (!part->getName().empty() && !owner.empty()) {
      names.insert(owner + "::" + part->getName().str());
    }
  }
}

const DIType* MemberIndex::PointeeAt(const DIType* type, std::int64_t bit) const {
  for (unsigned depth = 0; depth < kDeepest; ++depth) {
    type = Bare(type);
    if (const auto* pointer = llvm::dyn_cast_or_null<DIDerivedType>(type)) {
      return bit == 0 ? pointer->getBaseType() : nullptr;
    }
    const auto* composite = llvm::dyn_cast_or_null<DICompositeType>(type);
    if (composite == nullptr) return nullptr;
    if (composite->getTag() == llvm::dwarf::DW_TAG_array_type) {
      type = ElementOf(*composite);
      if (type == nullptr || type->getSizeInBits() == 0) return nullptr;
      bit %= static_cast<std::int64_t>(type->getSizeInBits());
      continue;
    }
    const auto parts = PartsOf(*composite);
    const auto part = llvm::find_if(parts, [bit](const DIDerivedType* candidate) {
      return Overlap({bit, bit + 1},
                     {OffsetOf(*candidate), OffsetOf(*candidate) + SizeOf(*candidate)});
    });
    if (part == parts.end()) return nullptr;
    type = (*part)->getBaseType();
    bit -= OffsetOf(**part);
  }
  return nullptr;
}

}  // namespace tare::clang_engine
