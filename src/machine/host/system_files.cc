// system_files.cc: reading files below a root directory.
#include "machine/host/system_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "base/file.h"
#include "base/printable.h"
#include "machine/host/kernel_text.h"

namespace tare::host {
namespace {

// /proc/cpuinfo of a machine with a thousand processors has about 2 MiB.
constexpr std::uint64_t kMaxBytes = 16 << 20;
constexpr std::size_t kMaxNames = 65536;

std::unexpected<std::string> NoNumber(std::string_view path) {
  return std::unexpected(fmt::format("{} is not a number in range", path));
}

}  // namespace

std::filesystem::path SystemFiles::Place(std::string_view path) const {
  while (path.starts_with('/')) path.remove_prefix(1);
  return root / path;
}

bool SystemFiles::Has(std::string_view path) const {
  std::error_code ignored;
  return std::filesystem::exists(Place(path), ignored);
}

Reading<std::string> SystemFiles::Text(std::string_view path) const {
  auto bytes = ReadFile(Place(path), kMaxBytes);
  if (bytes) return std::move(*bytes);
  if (!Has(path)) return std::unexpected(fmt::format("there is no {}", path));
  return std::unexpected(fmt::format("{} cannot be read", path));
}

Reading<std::string> SystemFiles::Line(std::string_view path) const {
  auto text = Text(path);
  if (!text) return text;
  const auto trimmed = Trimmed(*text);
  return Printable(Trimmed(trimmed.substr(0, trimmed.find('\n'))));
}

Reading<std::uint64_t> SystemFiles::Whole(std::string_view path) const {
  const auto text = Text(path);
  if (!text) return std::unexpected(text.error());
  const auto number = WholeNumber(*text);
  if (!number) return NoNumber(path);
  return *number;
}

Reading<std::int64_t> SystemFiles::Signed(std::string_view path) const {
  const auto text = Text(path);
  if (!text) return std::unexpected(text.error());
  const auto number = SignedNumber(*text);
  if (!number) return NoNumber(path);
  return *number;
}

std::vector<std::string> SystemFiles::Names(std::string_view directory) const {
  std::vector<std::string> names;
  std::error_code failed;
  std::filesystem::directory_iterator entry(Place(directory), failed);
  const std::filesystem::directory_iterator end;
  while (!failed && entry != end && names.size() < kMaxNames) {
    names.push_back(entry->path().filename().string());
    entry.increment(failed);
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace tare::host
