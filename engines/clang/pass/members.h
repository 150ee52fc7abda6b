// members.h: finds the members of structs, classes and unions that an access touches, from debug
// information.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Module.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace tare::clang_engine {

// Bits of an object. A bit field's range is narrower than the bytes that contain it.
struct BitRange {
  std::int64_t from = 0;
  std::int64_t to = 0;

  BitRange Moved(std::int64_t bits) const { return {from + bits, to + bits}; }
};

// What is stored. In a union, only members that fit it are touched.
enum class StoredKind { kInteger, kPointer, kFloat, kBytes };

struct StoredBits {
  BitRange range;
  StoredKind kind = StoredKind::kBytes;
};

using MemberNames = std::set<std::string>;  // "Type::member"

class MemberIndex {
 public:
  explicit MemberIndex(llvm::Module& module);

  // Adds the members of an object of this type that contain any of the bits, including nested
  // members.
  void AddTouched(const llvm::DIType* type, const StoredBits& bits, MemberNames& names) const;
  // Adds the member of this type that contains the bit, without its nested members.
  void AddMemberAt(const llvm::DIType* type, std::int64_t bit, MemberNames& names) const;

  // Returns the source types that the IR type can represent: several for instances of one template,
  // none without debug information.
  std::vector<const llvm::DICompositeType*> TypesOf(llvm::StructType* type) const;

  // Returns the type at `bit` of an object; for a pointer or reference, the type that it points to.
  // Null when unknown.
  const llvm::DIType* PointeeAt(const llvm::DIType* type, std::int64_t bit) const;

  // "EState"; for an unnamed struct, the name of its typedef.
  std::string NameOf(const llvm::DICompositeType& type) const;

 private:
  void AddOfRecord(const llvm::DICompositeType& record, const std::string& owner,
                   const StoredBits& bits, MemberNames& names, unsigned depth) const;
  void AddOfMember(const llvm::DIDerivedType& member, const std::string& owner,
                   const StoredBits& bits, MemberNames& names, unsigned depth) const;
  void AddOf(const llvm::DIType* type, const std::string& owner, const StoredBits& bits,
             MemberNames& names, unsigned depth) const;

  llvm::DataLayout layout_;
  llvm::DenseMap<const llvm::DICompositeType*, std::string> typedef_names_;
  llvm::StringMap<std::vector<const llvm::DICompositeType*>> by_name_;  // by their names in the IR
};

// Strips const, volatile, typedef and _Atomic.
const llvm::DIType* Bare(const llvm::DIType* type);

}  // namespace tare::clang_engine
