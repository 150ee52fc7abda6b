// symbolizer.h: names the functions, source lines and basic blocks of sampled code.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "binary/code/flow_graph.h"
#include "binary/dwarf/source_map.h"
#include "binary/elf/elf_image.h"
#include "format/sampled_profile.h"
#include "measure/profile/sample_store.h"

namespace tare::profile {

inline constexpr const char* kUnknownFunction = "[unknown]";

// Symbols by address: the kernel's, or those of generated code.
class AddressNames {
 public:
  struct Entry {
    std::uint64_t start = 0;
    std::uint64_t bytes = 0;  // 0: up to the next one
    std::string name;
  };

  // Text of /proc/kallsyms; addresses that the kernel hides are ignored.
  static AddressNames FromKallsyms(std::string_view text);
  // Text of /tmp/perf-PID.map: start and size in hexadecimal, name.
  static AddressNames FromPerfMap(std::string_view text);

  const Entry* At(std::uint64_t address) const;
  bool IsEmpty() const { return entries_.empty(); }

 private:
  void Sort();
  std::vector<Entry> entries_;  // by start
};

// Builds the tables of a profile from what was stored. Files are those that are there now.
class Symbolizer {
 public:
  explicit Symbolizer(format::SampledProfile& profile) : profile_(profile) {}

  // Adds what came since the last call: functions, locations, stacks, mappings and samples; and
  // replaces objects and threads.
  void Add(StoredPart part);

 private:
  struct Image {
    std::optional<elf::ElfImage> elf;
    std::optional<dwarf::SourceMap> source;
    std::map<std::uint64_t, std::string> separate_names;  // by address, from a debug file
    std::map<std::uint64_t, code::FlowGraph> graphs;      // by start of the function
    std::vector<std::uint32_t> files;  // the profile's number of each source file
  };

  Image& Open(std::uint32_t object);
  // The function's name in the file, in its separate debug file, or in its debug information.
  static std::string NameOf(const Image& image, const elf::Function& function);
  void AddObjects(const StoredPart& part);
  void AddLocations(const StoredPart& part);
  void AddStacks(StoredPart& part);
  bool IsCode(std::uint32_t location) const;
  void NameLocation(const StoredPlace& place, std::uint32_t process,
                    format::ProfileLocation& location);
  void NameInFile(Image& image, std::uint32_t object, format::ProfileLocation& location);
  void AddBlock(Image& image, const elf::Function& function, std::uint64_t address,
                format::ProfileLocation& location);
  std::uint32_t Function(const std::string& name, std::uint32_t object, std::uint64_t start,
                         std::uint64_t bytes);
  const AddressNames& Kernel();
  const AddressNames& Generated(std::uint32_t process);

  format::SampledProfile& profile_;
  std::vector<std::uint32_t> object_of_;  // by location
  std::map<std::uint32_t, Image> images_;
  std::map<std::tuple<std::uint32_t, std::uint64_t, std::string>, std::uint32_t> functions_;
  std::optional<AddressNames> kernel_;
  std::map<std::uint32_t, AddressNames> generated_;
};

}  // namespace tare::profile
