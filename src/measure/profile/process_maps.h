// process_maps.h: the executable memory of every sampled process, followed through mmap, fork and
// execve.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "format/sampled_profile.h"

namespace tare::profile {

inline constexpr const char* kKernelObject = "[kernel]";
inline constexpr const char* kAnonymousObject = "[anonymous]";  // generated code
inline constexpr const char* kUnknownObject = "[unknown]";      // no such mapping

// Where an address is: an object and the offset in its file; for code without a file, the address.
struct CodePlace {
  std::uint32_t object = 0;
  std::uint64_t offset = 0;
};

struct MappedCode {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint64_t file_offset = 0;
  std::uint32_t object = 0;
};

// A line of /proc/PID/maps that is executable; nothing for any other text.
struct MapsLine {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint64_t file_offset = 0;
  std::string_view name;
};
std::optional<MapsLine> ParseMapsLine(std::string_view line);

class ProcessMaps {
 public:
  using Mappings = std::map<std::uint64_t, MappedCode>;  // by start
  // The text of /proc/PID/maps of a process that existed before sampling began.
  using ReadMaps = std::function<std::string(std::uint32_t process)>;

  explicit ProcessMaps(ReadMaps read) : read_(std::move(read)) {}

  // Files with one path and different build ids are different objects.
  void Map(std::uint32_t process, std::uint64_t start, std::uint64_t bytes,
           std::uint64_t file_offset, std::string_view path, std::uint64_t time_ns,
           const std::string& build_id = {});
  void Fork(std::uint32_t process, std::uint32_t parent);
  void Exec(std::uint32_t process);

  CodePlace Find(std::uint32_t process, std::uint64_t address);
  CodePlace Kernel(std::uint64_t address);
  const Mappings& Of(std::uint32_t process);

  const std::vector<std::string>& Objects() const { return objects_; }
  // Of each object when it was mapped; empty where that is not known.
  const std::vector<std::string>& BuildIds() const { return build_ids_; }
  const std::vector<format::ProfileMapping>& History() const { return history_; }

 private:
  std::shared_ptr<Mappings>& Known(std::uint32_t process);
  Mappings& Own(std::uint32_t process);
  std::uint32_t Object(std::string_view path, const std::string& build_id = {});

  ReadMaps read_;
  std::unordered_map<std::uint32_t, std::shared_ptr<Mappings>> processes_;
  std::vector<std::string> objects_;
  std::vector<std::string> build_ids_;  // by object
  std::map<std::string, std::uint32_t, std::less<>> object_numbers_;
  std::vector<format::ProfileMapping> history_;
};

}  // namespace tare::profile
