// function_names.h: functions that gcc's hooks count by their address, with their names.
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

  // What `file`, of that module, counts since the last call. A function without a name is called
  // by its address.
  std::vector<format::SlotMetric> Unseen(const format::CounterFile& file);

 private:
  std::string NameAt(std::uint64_t address);

  std::string path_;
  bool opened_ = false;
  std::optional<elf::ElfImage> image_;
  std::uint64_t used_ = 0;  // slots, when it last looked
  bool settled_ = true;     // it has looked again since then
  std::set<std::uint64_t> seen_;
};

}  // namespace tare::sample
