// instruction_class.cc: names and meanings of categories, classes and operand types.
#include "binary/decode/instruction_class.h"

#include <array>

#include "base/check.h"

namespace tare::decode {
namespace {

constexpr std::array<std::string_view, kCategories> kCategoryNames = {
    "Arith", "Mem", "Calls", "Branches", "Unconditional Branches", "Stack Ops", "Unclassified"};

constexpr std::array<ClassText, kInstructionClasses> kClassTexts = {{
    {"load", "reads memory"},
    {"store", "writes memory"},
    {"read-modify-write", "reads and writes the same memory location"},
    {"stack-access", "reads or writes memory through the stack pointer"},
    {"move", "copies, extends or selects a value without computing one"},
    {"shuffle", "rearranges vector lanes without computing"},
    {"compare", "compares or tests"},
    {"conversion", "converts between number types"},
    {"division", "divides, or takes a square root"},
    {"fused", "fused multiply-add of floating-point numbers"},
    {"address", "computes an address"},
    {"integer", "computes with integers, addresses or bits"},
    {"floating-point", "computes with, compares or converts floating-point numbers"},
    {"scalar-float", "scalar floating-point arithmetic, comparison or conversion"},
    {"packed-float", "vector floating-point arithmetic, comparison or conversion"},
    {"packed-integer", "vector integer arithmetic"},
    {"vector-64", "works on vectors of up to 64 bits"},
    {"vector-128", "works on vectors of 128 bits"},
    {"vector-256", "works on vectors of 256 bits"},
    {"vector-512", "works on vectors of 512 bits"},
    {"scalable", "works on vectors of scalable width"},
    {"gather", "gather or scatter: each lane has its own address"},
    {"atomic", "atomic read-modify-write, or half of an exclusive pair"},
    {"string", "string or memory-copy instruction"},
    {"prefetch", "prefetches memory"},
    {"nop", "does nothing, or marks a branch target"},
    {"system", "calls the system, orders memory accesses, or sets processor state"},
    {"return", "returns to the caller"},
    {"indirect", "branches to an address in a register or in memory"},
}};
static_assert(static_cast<std::size_t>(InstructionClass::kIndirect) + 1 == kInstructionClasses);

constexpr std::array<std::string_view, kOperandTypes> kOperandTypeNames = {"none",
                                                                           "integer 8",
                                                                           "integer 16",
                                                                           "integer 32",
                                                                           "integer 64",
                                                                           "float 16",
                                                                           "float 32",
                                                                           "float 64",
                                                                           "float 80",
                                                                           "vector integer",
                                                                           "vector float 16",
                                                                           "vector float 32",
                                                                           "vector float 64",
                                                                           "vector data"};
static_assert(static_cast<std::size_t>(OperandType::kVectorData) + 1 == kOperandTypes);

template <typename Table, typename Id>
const auto& Row(const Table& table, Id id) {
  const auto index = static_cast<std::size_t>(id);
  CHECK(index < table.size());
  return table[index];
}

}  // namespace

std::string_view CategoryName(Category category) { return Row(kCategoryNames, category); }

const ClassText& TextOf(InstructionClass one) { return Row(kClassTexts, one); }

std::string_view OperandTypeName(OperandType type) { return Row(kOperandTypeNames, type); }

}  // namespace tare::decode
