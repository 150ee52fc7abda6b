// inlining.h: which functions are inlined into which, according to the debug information.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "binary/mix/file_mix.h"

namespace tare::mix {

// The inlining in one file. Names are base names as in the symbol table.
class Inlining {
 public:
  explicit Inlining(const FileMix& file);

  // Whether the file has debug information.
  bool known() const { return known_; }
  // How often `callee` is inlined into `caller`, at any depth.
  std::uint64_t Times(std::string_view caller, std::string_view callee) const;
  // How often `callee` is inlined into any function.
  std::uint64_t Times(std::string_view callee) const;

 private:
  bool known_ = false;
  std::unordered_map<std::string, std::uint64_t> callees_;
  std::unordered_map<std::string, std::uint64_t> pairs_;
};

}  // namespace tare::mix
