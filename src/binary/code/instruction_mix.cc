// instruction_mix.cc: sums of instruction mixes.
#include "binary/code/instruction_mix.h"

#include <numeric>

namespace tare::code {

std::uint64_t CategoryMix::Instructions() const {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

void FullMix::Add(const decode::Instruction& instruction) {
  const auto category = static_cast<std::size_t>(CategoryOf(instruction));
  ++categories[category];
  ++operand_types[static_cast<std::size_t>(OperandTypeOf(instruction))];
  ClassesOf(instruction).ForEach([&](decode::InstructionClass one) {
    ++classes[static_cast<std::size_t>(one)][category];
  });
}

FullMix& FullMix::operator+=(const FullMix& other) {
  for (std::size_t i = 0; i < categories.size(); ++i) categories[i] += other.categories[i];
  for (std::size_t i = 0; i < classes.size(); ++i)
    for (std::size_t j = 0; j < categories.size(); ++j) classes[i][j] += other.classes[i][j];
  for (std::size_t i = 0; i < operand_types.size(); ++i) operand_types[i] += other.operand_types[i];
  return *this;
}

std::uint64_t FullMix::Instructions() const {
  return std::accumulate(categories.begin(), categories.end(), std::uint64_t{0});
}

std::uint64_t FullMix::operator[](decode::InstructionClass one) const {
  const auto& split = classes[static_cast<std::size_t>(one)];
  return std::accumulate(split.begin(), split.end(), std::uint64_t{0});
}

}  // namespace tare::code
