// indirect_calls.h: resolving calls and jumps through registers and memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "binary/code/call_site.h"
#include "binary/code/function_walk.h"
#include "binary/code/register_follower.h"
#include "binary/code/targets.h"
#include "binary/decode/decoder.h"

namespace tare::code {

// Not thread-safe; `targets` and `literals` must outlive it.
class IndirectCalls {
 public:
  IndirectCalls(const Targets& targets, std::span<const elf::AddressRange> literals);

  // Resolves the indirect sites among `sites` from `first` on, which are all sites of the function
  // in order of address. Removes jumps that stay inside the function and returns their number.
  std::uint32_t Resolve(std::uint32_t function, decode::Decoder& decoder,
                        std::vector<CallSite>& sites, std::size_t first);

 private:
  void Follow(const Piece& piece, RegisterFollower& follower, CallSite* site);
  void Classify(const Origin& origin, CallSite& site);
  void ToAddress(std::uint64_t address, CallSite& site);
  void ToReference(const elf::Reference& reference, CallSite& site);
  void ToSlot(std::uint64_t slot, CallSite& site);
  void ToTable(std::uint64_t table, CallSite& site);
  bool IsInside(std::uint64_t address) const;
  void StayInside(CallSite& site);

  const Targets& targets_;
  const elf::ElfImage& image_;
  std::span<const elf::AddressRange> literals_;
  bool x86_;
  bool object_;
  std::uint64_t max_slots_ = 0;  // of a virtual table

  const elf::Function* function_ = nullptr;
  std::uint32_t jump_tables_ = 0;
};

}  // namespace tare::code
