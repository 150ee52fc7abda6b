// instruction_class.h: the category and the classes of an instruction.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace tare::decode {

// Every instruction belongs to exactly one category. docs/methods/instruction-mix.md has the rules,
// with examples for both architectures.
enum class Category : std::uint8_t {
  kArith,
  kMem,
  kCalls,
  kBranches,
  kUnconditionalBranches,
  kStackOps,
  kUnclassified,
};
inline constexpr std::size_t kCategories = 7;

// For output: "Arith", "Unconditional Branches", "Stack Ops".
std::string_view CategoryName(Category category);

// Classes are independent of the categories: an instruction may belong to several, or to none.
enum class InstructionClass : std::uint8_t {
  kLoad,   // reads memory; with kStore when it also writes
  kStore,  // writes memory
  kReadModifyWrite,
  kStackAccess,
  kMove,
  kShuffle,
  kCompare,
  kConversion,
  kDivision,
  kFused,
  kAddress,
  kInteger,
  kFloatingPoint,
  kScalarFloat,
  kPackedFloat,
  kPackedInteger,
  kVector64,
  kVector128,
  kVector256,
  kVector512,
  kScalable,
  kGather,
  kAtomic,
  kString,
  kPrefetch,
  kNop,
  kSystem,
  kReturn,
  kIndirect,
};
inline constexpr std::size_t kInstructionClasses = 29;

struct ClassText {
  std::string_view id;       // "read-modify-write": for JSON, options and tables
  std::string_view meaning;  // half a line in plain words
};
const ClassText& TextOf(InstructionClass one);

// A set of classes.
class ClassSet {
 public:
  constexpr ClassSet() = default;
  constexpr ClassSet(std::initializer_list<InstructionClass> classes) {
    for (const auto one : classes) Add(one);
  }

  constexpr void Add(InstructionClass one) { mask_ |= Bit(one); }
  constexpr void AddIf(InstructionClass one, bool condition) {
    mask_ |= static_cast<std::uint32_t>(condition) << static_cast<unsigned>(one);
  }
  constexpr void Remove(InstructionClass one) { mask_ &= ~Bit(one); }
  constexpr void AddAll(ClassSet other) { mask_ |= other.mask_; }
  constexpr bool Contains(InstructionClass one) const { return (mask_ & Bit(one)) != 0; }
  constexpr bool ContainsAll(ClassSet other) const { return (mask_ & other.mask_) == other.mask_; }
  constexpr bool IsEmpty() const { return mask_ == 0; }
  constexpr std::uint32_t mask() const { return mask_; }

  // Calls `visit` with each class of the set, in the order of the enumeration.
  template <typename Visit>
  constexpr void ForEach(Visit visit) const {
    for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1)
      visit(static_cast<InstructionClass>(std::countr_zero(rest)));
  }

  friend constexpr bool operator==(ClassSet, ClassSet) = default;

 private:
  static constexpr std::uint32_t Bit(InstructionClass one) {
    return std::uint32_t{1} << static_cast<unsigned>(one);
  }
  std::uint32_t mask_ = 0;
};
static_assert(kInstructionClasses <= 32);

// The type that an instruction operates on. A vector that is only moved or shuffled has no element
// type: kVectorData.
enum class OperandType : std::uint8_t {
  kNone,
  kInteger8,
  kInteger16,
  kInteger32,
  kInteger64,
  kFloat16,
  kFloat32,
  kFloat64,
  kFloat80,
  kVectorInteger,
  kVectorFloat16,
  kVectorFloat32,
  kVectorFloat64,
  kVectorData,
};
inline constexpr std::size_t kOperandTypes = 14;

// "integer 32", "vector float 64", "none".
std::string_view OperandTypeName(OperandType type);

// instruction.h has inline functions for these three properties of an instruction: CategoryOf,
// ClassesOf and OperandTypeOf.

}  // namespace tare::decode
