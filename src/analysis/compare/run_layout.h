// run_layout.h: the memory layouts that runs are compared in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "measure/run/program.h"
#include "measure/run/setting.h"

namespace tare::compare {

// The parts of a layout that can be varied here.
struct Variation {
  bool memory = true;      // stack, heap and mappings are moved
  bool directory = true;   // the path of the working directory is lengthened
  std::size_t builds = 1;  // number of builds of each program, with code at other addresses
};

// One layout, the same for all commands. Number 0 is the natural one: nothing is moved.
struct RunLayout {
  std::size_t number = 0;
  std::size_t build = 0;
  std::uint64_t stack_bytes = 0;
  std::uint64_t heap_bytes = 0;
  std::uint64_t mapping_bytes = 0;
  bool padded = false;  // the environment is padded, so that all commands' stacks start alike
  std::size_t environment_bytes = 0;  // in addition to the padding
  std::size_t directory_bytes = 0;    // of the path of the working directory; 0: as it is
};

enum class LayoutFactor { kStack, kHeap, kMappings, kEnvironment, kDirectory, kCode };
inline constexpr LayoutFactor kLayoutFactors[] = {
    LayoutFactor::kStack,       LayoutFactor::kHeap,      LayoutFactor::kMappings,
    LayoutFactor::kEnvironment, LayoutFactor::kDirectory, LayoutFactor::kCode};

// "the stack address".
std::string_view FactorName(LayoutFactor factor);

// The layout with this number, at random but always the same for a seed.
RunLayout MakeLayout(std::size_t number, const Variation& variation, std::uint64_t seed);

// `layout` with one factor as in `other`.
RunLayout WithFactor(RunLayout layout, LayoutFactor factor, const RunLayout& other);
bool DiffersIn(LayoutFactor factor, const RunLayout& a, const RunLayout& b);

// The size of the strings that the kernel puts above the stack for this program: its path and
// arguments.
std::size_t ArgumentBytes(const run::ResolvedProgram& program);

// The setting of a run in the layout. `argument_bytes` is that of the program, `max_argument_bytes`
// the largest of all programs: the environment makes up for the difference.
Result<run::Setting> InLayout(const run::Setting& natural, const RunLayout& layout,
                              std::size_t argument_bytes, std::size_t max_argument_bytes);

}  // namespace tare::compare
