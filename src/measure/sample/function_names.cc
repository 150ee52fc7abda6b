// function_names.cc: resolves addresses of a table to symbols of a file.
#include "measure/sample/function_names.h"

#include <fmt/format.h>

namespace tare::sample {

std::string FunctionNames::NameAt(std::uint64_t address) {
  if (!opened_) {
    opened_ = true;
    if (auto image = elf::OpenElf(path_)) image_ = std::move(*image);
  }
  const elf::Function* function = image_ ? image_->FunctionAt(address) : nullptr;
  if (function == nullptr || function->name.empty()) return fmt::format("{:#x}", address);
  return elf::Demangled(function->name);
}

std::vector<format::SlotMetric> FunctionNames::Unseen(const format::CounterFile& file) {
  std::vector<format::SlotMetric> metrics;
  const std::uint64_t used = file.Header().functions_used;
  // The program reserves a slot shortly before it writes the function's entry, so read the table
  // once more.
  if (used == used_ && settled_) return metrics;
  settled_ = used == used_;
  used_ = used;
  for (const format::HookedFunction& function : file.HookedFunctions()) {
    if (!seen_.insert(function.address).second) continue;
    format::SlotMetric metric;
    metric.name = NameAt(function.address);
    metric.is_function = true;
    metric.slot = function.slot;
    metrics.push_back(std::move(metric));
  }
  return metrics;
}

}  // namespace tare::sample
