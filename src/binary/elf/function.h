// function.h: a named range of code.
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
  kGuessed,  // inferred from the code, without a symbol or frame
};

struct Function {
  std::string name;  // as in the file; sub_1a40 where it has none, puts@plt for a stub
  std::uint64_t start = 0;
  std::uint64_t end = 0;  // exclusive
  FunctionSource source = FunctionSource::kSymbol;
  bool ifunc = false;        // a resolver, which selects an implementation
  bool end_guessed = false;  // no symbol or frame gives its size
};

// For output: "std::sort(int*)" for a C++ name, "core::fmt::write" for a Rust name. Any other name,
// and one that would be too long, is returned unchanged.
std::string Demangled(const std::string& name);

}  // namespace tare::elf
