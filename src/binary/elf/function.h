// function.h: a named stretch of code.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tare::elf {

enum class FunctionSource : std::uint8_t {
  kSymbol,
  kDynamicSymbol,
  kFrame,    // from .eh_frame, which has no names
  kPlt,      // a stub that jumps to another library
  kGuessed,  // no record says so; it follows from the code
};

struct Function {
  std::string name;  // as in the file; sub_1a40 where it has none, puts@plt for a stub
  std::uint64_t start = 0;
  std::uint64_t end = 0;  // first byte behind it
  FunctionSource source = FunctionSource::kSymbol;
  bool ifunc = false;        // the code picks an implementation
  bool end_guessed = false;  // no record tells its size
};

// For people: "std::sort(int*)" for a C++ name, "core::fmt::write" for a Rust name, every other
// name as it is, and so is one that would be too long to read.
std::string Demangled(const std::string& name);

}  // namespace tare::elf
