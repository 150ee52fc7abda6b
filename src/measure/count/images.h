// images.h: the ELF files whose code ran, each opened once.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "binary/elf/elf_image.h"

namespace tare::count {

// What is known about a code location in a file.
struct Place {
  std::string function;         // "[unknown]" if no function contains the location
  std::uint64_t start = 0;      // start address of the function in the file
  bool dispatched = false;      // a candidate of an ifunc, one of which the loader selects
  std::string dispatched_name;  // name of that ifunc
  bool queries_processor =
      false;  // contains an instruction whose result depends on the processor, such as CPUID
};

class Images {
 public:
  // The function that contains `offset` of the file at `path`, or null if the file cannot be read
  // as ELF. The result lives as long as this object.
  const Place* At(const std::string& path, std::uint64_t offset);

  // Null if the file cannot be read as ELF. The result lives as long as this object.
  const elf::ElfImage* Open(const std::string& path);

 private:
  struct Image {
    std::optional<elf::ElfImage> elf;
    std::map<std::uint64_t, std::string> dispatched;  // ifunc names by candidate start address
    std::map<std::uint64_t, Place> places;            // by function start address
  };
  Image& Load(const std::string& path);

  std::map<std::string, Image> images_;
};

}  // namespace tare::count
