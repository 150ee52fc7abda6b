// executed_code.h: how often each instruction of one file ran.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "binary/elf/elf_image.h"
#include "measure/count/tally.h"

namespace tare::proxy {

class ExecutedCode {
 public:
  // Of the blocks of `tally` that lie in the file at `path`, whose image must be the one that ran.
  ExecutedCode(const elf::ElfImage& image, const std::string& path, const count::Tally& tally);

  // Of the instruction that begins at this address of the file; 0 where none ran.
  std::uint64_t At(std::uint64_t address) const;
  bool empty() const { return executions_.empty(); }

 private:
  std::unordered_map<std::uint64_t, std::uint64_t> executions_;
};

// Whether an object of a tally is the file at `path`, however it was named.
bool IsSameFile(const std::string& object, const std::string& path);

}  // namespace tare::proxy
