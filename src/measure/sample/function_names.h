// function_names.h: names of the functions that gcc's hooks (-finstrument-functions) count by
// address.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "binary/elf/elf_image.h"
#include "format/software_counters.h"

namespace tare::sample {

class FunctionNames {
 public:
  // The file is opened when the first function is seen.
  explicit FunctionNames(std::string module_path) : path_(std::move(module_path)) {}

  // The functions that `file`, of that module, has counted since the last call. A function without
  // a symbol is named by its address.
  std::vector<format::SlotMetric> Unseen(const format::CounterFile& file);

 private:
  std::string NameAt(std::uint64_t address);

  std::string path_;
  bool opened_ = false;
  std::optional<elf::ElfImage> image_;
  std::uint64_t used_ = 0;  // slots in use at the last call
  bool settled_ = true;     // a further call found no more slots
  std::set<std::uint64_t> seen_;
};

}  // namespace tare::sample
