// function_reader.h: the instructions of one function, and its call targets.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "binary/code/call_site.h"
#include "binary/code/function_walk.h"
#include "binary/code/indirect_calls.h"
#include "binary/code/instruction_mix.h"
#include "binary/code/targets.h"
#include "binary/decode/code_constants.h"
#include "binary/decode/decoder.h"

namespace tare::code {

struct FunctionCode {
  CategoryMix mix;
  std::uint32_t padding_bytes = 0;
  std::uint32_t data_bytes = 0;
  std::uint32_t jump_tables = 0;  // indirect jumps within the function
  bool has_frame = false;         // adjusts the stack pointer
};

// Results that accumulate over several functions.
struct CodeFindings {
  std::vector<CallSite> sites;
  std::vector<std::uint32_t> taken;         // functions whose address the code takes
  std::vector<elf::AddressRange> literals;  // ranges in code that are read as data
  FullMix mix;
};

// Not thread-safe; `targets` and `literals` must outlive it.
class FunctionReader {
 public:
  FunctionReader(const Targets& targets, std::span<const elf::AddressRange> literals);

  // Appends to `findings`.
  FunctionCode Read(std::uint32_t function, CodeFindings& findings);

 private:
  void AddInstruction(const Piece& piece);
  void AddDirect(const Piece& piece);
  void AddReferences(const Piece& piece);
  void AddTaken(std::uint64_t address);
  void AddSite(const Piece& piece, SiteKind kind, TargetKind to, std::uint64_t target);
  void LeadTo(const Piece& piece, std::uint64_t address);
  bool IsOwnPart(std::uint32_t other) const;

  const Targets& targets_;
  const elf::ElfImage& image_;
  std::span<const elf::AddressRange> literals_;
  decode::Decoder decoder_;
  IndirectCalls indirect_calls_;
  bool x86_;
  bool object_;
  bool fixed_addresses_;
  std::uint64_t code_start_ = UINT64_MAX;
  std::uint64_t code_end_ = 0;

  std::uint32_t index_ = 0;
  const elf::Function* function_ = nullptr;
  FunctionCode result_;
  CodeFindings* findings_ = nullptr;
  std::uint32_t position_ = 0;
  std::size_t first_site_ = 0;
  bool any_indirect_ = false;
};

}  // namespace tare::code
