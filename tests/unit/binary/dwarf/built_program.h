// built_program.h: a program with nested inlined functions.
#pragma once

#include <string_view>

#include "tests/programs/build_directory.h"

namespace tare::dwarf {

using Directory = BuildDirectory;

// Nested inlined functions, a class, a header, a loop; -O2 inlines all but main, Kept and Both.
inline constexpr std::string_view kHeader = R"(#pragma once
struct Counter {
  int Add(int amount);
  int Twice(int amount) {
    Add(amount);
    return Add(amount);
  }
  int total = 0;
};
)";
inline constexpr std::string_view kSource = R"(#include "counter.h"
extern volatile int sink;
volatile int sink;
inline int Counter::Add(int amount) {
  total += amount;
  sink = total;
  return total;
}
namespace inner {
static int Squared(int value) {
  sink = value;
  return value * value;
}
static int Fourth(int value) {
  return Squared(Squared(value) + sink);
}
}  // namespace inner
__attribute__((noinline)) int Kept(int value) {
  Counter counter;
  for (int i = 0; i < sink; ++i)
    value += counter.Twice(i);
  return value + inner::Fourth(value);
}
__attribute__((noinline)) int Both(int value) {
  return inner::Fourth(value) - inner::Squared(value);
}
int main(int argc, char**) {
  return Kept(argc) + Both(argc);
}
)";

inline void WriteProgram(const Directory& directory) {
  directory.Write("counter.h", kHeader);
  directory.Write("program.cc", kSource);
}

}  // namespace tare::dwarf
