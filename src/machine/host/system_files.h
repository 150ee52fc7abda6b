// system_files.h: the files under /proc, /sys and /etc that describe this machine, or a synthetic
// one for tests.
#pragma once

#include <cstdint>
#include <expected>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tare::host {

// The value, or the reason in a few words why it is missing: "there is no /proc/pressure/cpu".
template <typename T>
using Reading = std::expected<T, std::string>;

// Paths are given as on a real machine ("/proc/stat") and resolved below `root`. Missing,
// inaccessible and invalid files yield the reason.
struct SystemFiles {
  std::filesystem::path root = "/";

  // True for the running machine, whose kernel can be queried for what the files do not contain.
  bool IsThisMachine() const { return root == "/"; }

  std::filesystem::path Place(std::string_view path) const;
  bool Has(std::string_view path) const;

  // The whole file, unmodified.
  Reading<std::string> Text(std::string_view path) const;
  // The first nonempty line, trimmed and printable; an empty file yields "".
  Reading<std::string> Line(std::string_view path) const;
  // The file must contain exactly one number.
  Reading<std::uint64_t> Whole(std::string_view path) const;
  Reading<std::int64_t> Signed(std::string_view path) const;
  // Names in a directory, sorted; empty when the directory does not exist.
  std::vector<std::string> Names(std::string_view directory) const;
};

}  // namespace tare::host
