// targets.h: what an address or a name means as the target of a call.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "binary/code/call_site.h"
#include "binary/elf/elf_image.h"

namespace tare::code {

inline constexpr std::uint32_t kNowhere = UINT32_MAX;

// Of one file, which must outlive it. Unchanging once made: threads may share it.
class Targets {
 public:
  explicit Targets(const elf::ElfImage& image);

  const elf::ElfImage& image() const { return image_; }
  // Names that other files define, in the order of the alphabet.
  const std::vector<std::string_view>& imports() const { return imports_; }

  // The function that begins at the address, or kNowhere.
  std::uint32_t FunctionStartingAt(std::uint64_t address) const;
  // The function that holds the address, or kNowhere.
  std::uint32_t FunctionHolding(std::uint64_t address) const;
  std::optional<std::uint32_t> ImportNamed(std::string_view name) const;

  // A stub that leads to another function: which one of this file or of another; a stub of a
  // function that is chosen at load time leads to its index in `dispatches`.
  struct Stub {
    std::uint32_t function = kNowhere;
    std::uint32_t import = kNowhere;
    std::uint32_t dispatch = kNowhere;
  };
  // Sets the site's target: the function, or what it leads to when it is a stub.
  void Aim(std::uint32_t function, CallSite& site) const;
  // Null for a function that is no stub.
  const Stub* StubOf(std::uint32_t function) const;
  const std::vector<elf::Dispatch>& dispatches() const { return dispatches_; }
  // By the address of its resolver, or kNowhere.
  std::uint32_t DispatchBy(std::uint64_t resolver) const;

 private:
  void AddImports();
  void AddStubs();
  std::uint32_t DispatchNamed(std::string_view name) const;
  Stub LeadsTo(std::string_view name) const;

  const elf::ElfImage& image_;
  std::vector<std::uint64_t> starts_;
  std::vector<std::string_view> imports_;
  std::unordered_map<std::string_view, std::uint32_t> import_numbers_;
  std::unordered_map<std::string_view, std::uint64_t> own_symbols_;  // that references name
  std::unordered_map<std::uint32_t, Stub> stubs_;
  std::vector<elf::Dispatch> dispatches_;
  std::unordered_map<std::uint64_t, std::uint32_t> resolvers_;
};

}  // namespace tare::code
