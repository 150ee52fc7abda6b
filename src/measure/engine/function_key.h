// function_key.h: what tells the functions of a program and its libraries apart.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace tare::engine {

// Where code came from. `object` is the path of a file, "[vdso]", or "[anonymous]".
struct FunctionKey {
  std::string object;
  std::uint64_t start = 0;
  auto operator<=>(const FunctionKey&) const = default;
};

}  // namespace tare::engine
