// flow_files.cc: lists flows by name and checks their first bytes.
#include "model/vpmu/flow_files.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>

#include "base/special_file.h"
#include "format/flow_wire.h"

namespace tare::vpmu {
namespace {

constexpr std::string_view kPrefix = TARE_FLOW_FILE ".";

}  // namespace

std::vector<std::string> FlowNames(const std::filesystem::path& directory) {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with(kPrefix)) names.push_back(name.substr(kPrefix.size()));
  }
  std::ranges::sort(names);
  return names;
}

bool HasBegun(const std::filesystem::path& directory, const std::string& name) {
  std::uint64_t magic = 0;
  const std::string start = StartOfFile(directory / (std::string(kPrefix) + name), sizeof magic);
  if (start.size() == sizeof magic) std::memcpy(&magic, start.data(), sizeof magic);
  return magic != 0;
}

}  // namespace tare::vpmu
