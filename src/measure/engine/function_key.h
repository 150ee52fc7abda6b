// function_key.h: identifies a function of a program or its libraries.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace tare::engine {

// `object` is a file path, "[vdso]" or "[anonymous]"; `start` is the function's start address in
// it.
struct FunctionKey {
  std::string object;
  std::uint64_t start = 0;
  auto operator<=>(const FunctionKey&) const = default;
};

}  // namespace tare::engine
