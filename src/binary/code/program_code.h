// program_code.h: all code of a file: the contents of each function and its callees.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "binary/code/call_site.h"
#include "binary/code/candidates.h"
#include "binary/code/function_reader.h"
#include "binary/code/instruction_mix.h"
#include "binary/code/targets.h"
#include "binary/elf/elf_image.h"

namespace tare::code {

// Functions are indexed as in the image.
class ProgramCode {
 public:
  // Reads every function once, on `threads` threads (0: one per processor). The image must outlive
  // the result, which does not depend on the number of threads. Errors: kInterrupted.
  static Result<ProgramCode> Read(const elf::ElfImage& image, unsigned threads,
                                  const Progress& progress);

  const elf::ElfImage& image() const { return targets_->image(); }
  const Targets& targets() const { return *targets_; }
  const std::vector<FunctionCode>& functions() const { return functions_; }
  const elf::Function& FunctionAt(std::uint32_t index) const { return image().functions()[index]; }
  bool IsStub(std::uint32_t index) const {
    return FunctionAt(index).source == elf::FunctionSource::kPlt;
  }

  // In order of address. Omits those of stubs.
  std::span<const CallSite> CallsOf(std::uint32_t function) const;
  // Other functions whose address the function's code takes, ascending.
  std::span<const std::uint32_t> TakenBy(std::uint32_t function) const;
  // The possible targets of an indirect call, as far as tables and relocations determine them.
  // Empty for a certain target.
  const CandidateSet& CandidatesOf(const CallSite& site) const { return candidates_->Of(site); }

  const FullMix& total() const { return total_; }
  std::uint64_t code_bytes() const { return code_bytes_; }
  std::uint64_t padding_bytes() const {
    return padding_bytes_;
  }  // including padding between functions
  std::uint64_t data_bytes() const { return data_bytes_; }
  std::span<const elf::AddressRange> literals() const { return literals_; }

 private:
  struct Chunk {
    CodeFindings findings;
    std::vector<std::uint32_t> site_ends;  // one per function of the chunk
    std::vector<std::uint32_t> taken_ends;
  };

  explicit ProgramCode(const elf::ElfImage& image);

  Result<void> ReadChunks(const std::vector<std::size_t>& numbers, unsigned threads,
                          const Progress& progress);
  void ReadChunk(std::size_t number, FunctionReader& reader);
  // Ranges that are read as data, and code that is none, change the contents of the surrounding
  // functions. Returns the chunks to read again.
  std::vector<std::size_t> CollectLiterals();
  void AddTables();
  void SumCounts();

  std::unique_ptr<Targets> targets_;
  std::vector<FunctionCode> functions_;
  std::vector<Chunk> chunks_;
  std::vector<elf::AddressRange> literals_;
  FullMix total_;
  std::uint64_t code_bytes_ = 0;
  std::uint64_t padding_bytes_ = 0;
  std::uint64_t data_bytes_ = 0;
  std::unique_ptr<Candidates> candidates_;
};

// All functions reachable from `root`, including itself, each once: by certain targets only, or
// also by candidates and by addresses that the code takes.
enum class Edges : std::uint8_t { kCertain, kPossible };
std::vector<std::uint32_t> ReachableFrom(const ProgramCode& code, std::uint32_t root, Edges edges);

}  // namespace tare::code
