// images.h: the files whose code ran, opened once.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "binary/elf/elf_image.h"

namespace tare::count {

// What is known of a place in a file's code.
struct Place {
  std::string function;         // "[unknown]" where nothing is known
  std::uint64_t start = 0;      // of the function in the file
  bool dispatched = false;      // one of the variants that the loader picks from
  std::string dispatched_name;  // of what they are variants
  bool asks_processor = false;  // its code asks the processor about itself
};

class Images {
 public:
  // The function around `offset` of the file at `path`. Nothing when the file cannot be read as
  // ELF. The answer lives as long as this object.
  const Place* At(const std::string& path, std::uint64_t offset);

  // Null when it cannot be read.
  const elf::ElfImage* Open(const std::string& path);

 private:
  struct Image {
    std::optional<elf::ElfImage> elf;
    std::map<std::uint64_t, std::string> dispatched;  // by start of the variant
    std::map<std::uint64_t, Place> places;            // by start of the function
  };
  Image& Load(const std::string& path);

  std::map<std::string, Image> images_;
};

}  // namespace tare::count
