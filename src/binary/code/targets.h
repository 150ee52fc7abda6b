// targets.h: resolving an address or a name to a call target.
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

// The targets of one file, which must outlive this. Immutable, so threads may share it.
class Targets {
 public:
  explicit Targets(const elf::ElfImage& image);

  const elf::ElfImage& image() const { return image_; }
  // Imported names, in alphabetical order.
  const std::vector<std::string_view>& imports() const { return imports_; }

  // The function that starts at the address, or kNowhere.
  std::uint32_t FunctionStartingAt(std::uint64_t address) const;
  // The function that contains the address, or kNowhere.
  std::uint32_t FunctionHolding(std::uint64_t address) const;
  std::optional<std::uint32_t> ImportNamed(std::string_view name) const;

  // The target of a stub: a function of this file, an import, or, for a function that is selected
  // at load time, an index into `dispatches`.
  struct Stub {
    std::uint32_t function = kNowhere;
    std::uint32_t import = kNowhere;
    std::uint32_t dispatch = kNowhere;
  };
  // Sets the site's target: the function, or the target of the stub.
  void Aim(std::uint32_t function, CallSite& site) const;
  // Null if the function is not a stub.
  const Stub* StubOf(std::uint32_t function) const;
  const std::vector<elf::Dispatch>& dispatches() const { return dispatches_; }
  // The dispatch with this resolver address, or kNowhere.
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
  std::unordered_map<std::string_view, std::uint64_t> own_symbols_;  // symbols that references name
  std::unordered_map<std::uint32_t, Stub> stubs_;
  std::vector<elf::Dispatch> dispatches_;
  std::unordered_map<std::uint64_t, std::uint32_t> resolvers_;
};

}  // namespace tare::code
