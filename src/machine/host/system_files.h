// system_files.h: the files under /proc, /sys and /etc that describe this machine, or a made-up
// one.
#pragma once

#include <cstdint>
#include <expected>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tare::host {

// What was read, or in a few words why it could not be: "there is no /proc/pressure/cpu".
template <typename T>
using Reading = std::expected<T, std::string>;

// Paths are given as on a real machine ("/proc/stat") and looked up below `root`. Nothing fails:
// what is missing, forbidden or nonsense comes back as the reason.
struct SystemFiles {
  std::filesystem::path root = "/";

  // The running machine: what cannot be read from files may be asked of the kernel directly.
  bool IsThisMachine() const { return root == "/"; }

  std::filesystem::path Place(std::string_view path) const;
  bool Has(std::string_view path) const;

  // All bytes as they are.
  Reading<std::string> Text(std::string_view path) const;
  // The first line with anything on it, trimmed and safe to show; an empty file gives "".
  Reading<std::string> Line(std::string_view path) const;
  // The file holds this number and nothing else.
  Reading<std::uint64_t> Whole(std::string_view path) const;
  Reading<std::int64_t> Signed(std::string_view path) const;
  // Names in a directory, sorted; empty when there is no such directory.
  std::vector<std::string> Names(std::string_view directory) const;
};

}  // namespace tare::host
