// instruction_mix.h: the number of instructions of each kind in a piece of code.
#pragma once

#include <array>
#include <cstdint>

#include "binary/decode/instruction.h"

namespace tare::code {

// Counts of the seven categories.
struct CategoryMix {
  std::array<std::uint32_t, decode::kCategories> counts = {};

  std::uint32_t& operator[](decode::Category category) {
    return counts[static_cast<std::size_t>(category)];
  }
  std::uint32_t operator[](decode::Category category) const {
    return counts[static_cast<std::size_t>(category)];
  }
  std::uint64_t Instructions() const;

  friend bool operator==(const CategoryMix&, const CategoryMix&) = default;
};

// Sums over many functions, with all properties of each instruction.
struct FullMix {
  std::array<std::uint64_t, decode::kCategories> categories = {};
  // Each class by category; an instruction may belong to several classes.
  std::array<std::array<std::uint64_t, decode::kCategories>, decode::kInstructionClasses> classes =
      {};
  std::array<std::uint64_t, decode::kOperandTypes> operand_types = {};

  void Add(const decode::Instruction& instruction);
  FullMix& operator+=(const FullMix& other);

  std::uint64_t Instructions() const;
  std::uint64_t operator[](decode::Category category) const {
    return categories[static_cast<std::size_t>(category)];
  }
  std::uint64_t operator[](decode::InstructionClass one) const;

  friend bool operator==(const FullMix&, const FullMix&) = default;
};

}  // namespace tare::code
