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
  // Uses the blocks of `tally` that are in the file at `path`. `image` must be the file that ran.
  ExecutedCode(const elf::ElfImage& image, const std::string& path, const count::Tally& tally);

  // Executions of the instruction that begins at this address of the file; 0 if it did not run.
  std::uint64_t At(std::uint64_t address) const;
  bool empty() const { return executions_.empty(); }

 private:
  std::unordered_map<std::uint64_t, std::uint64_t> executions_;
};

// Whether an object of a tally is the file at `path`, under any name.
bool IsSameFile(const std::string& object, const std::string& path);

}  // namespace tare::proxy
