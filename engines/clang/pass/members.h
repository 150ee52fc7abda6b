// members.h: which members of structs, classes and unions an access touches, by debug information.
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

// Bits of an object; those of a bit field are fewer than its bytes have.
struct BitRange {
  std::int64_t from = 0;
  std::int64_t to = 0;

  BitRange Moved(std::int64_t bits) const { return {from + bits, to + bits}; }
};

// What is stored: of a union only members that fit it are touched.
enum class StoredKind { kInteger, kPointer, kFloat, kBytes };

struct StoredBits {
  BitRange range;
  StoredKind kind = StoredKind::kBytes;
};

using MemberNames = std::set<std::string>;  // "Type::member"

class MemberIndex {
 public:
  explicit MemberIndex(llvm::Module& module);

  // Members of an object of this type that the bits belong to, those of members inside it too.
  void AddTouched(const llvm::DIType* type, const StoredBits& bits, MemberNames& names) const;
  // The member that begins before or at this bit and reaches over it, without what is inside.
  void AddMemberAt(const llvm::DIType* type, std::int64_t bit, MemberNames& names) const;

  // Types of the source that the type of the IR can be: several where they are instances of one
  // template, none without debug information.
  std::vector<const llvm::DICompositeType*> TypesOf(llvm::StructType* type) const;

  // The type of what stands at `bit` inside an object, when it is a pointer or a reference then
  // that which it points to. Null when not known.
  const llvm::DIType* PointeeAt(const llvm::DIType* type, std::int64_t bit) const;

  // "EState", also for a struct without a name of its own that a typedef names.
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
  llvm::StringMap<std::vector<const llvm::DICompositeType*>> by_name_;  // as clang names them in IR
};

// Without const, volatile, typedef and _Atomic.
const llvm::DIType* Bare(const llvm::DIType* type);

}  // namespace tare::clang_engine
