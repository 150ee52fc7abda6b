// measurement_interface.h: calls that compilers and tools put into programs to measure them.
#pragma once

#include <regex.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "binary/code/program_code.h"

namespace tare::mix {

class MeasurementInterface {
 public:
  // The known interfaces and names that match `pattern` (an extended regular expression of POSIX
  // for a part of the name), unless that is empty. Errors: kUsage.
  static Result<MeasurementInterface> Make(const std::string& pattern);

  // What the function belongs to: "-finstrument-functions", "mcount", "given by --interface".
  std::optional<std::string_view> OwnerOf(std::string_view name) const;

 private:
  std::shared_ptr<const regex_t> given_;
};

struct InterfaceUse {
  std::string name;  // of the function called; "XRay sled" for places that are patched later
  std::string owner;
  std::uint64_t sites = 0;
  std::uint64_t functions = 0;  // that hold such sites
};

// Of one file.
struct InterfaceUses {
  std::vector<InterfaceUse> uses;  // by sites, most first
  // Call sites to the interface in each function, by category: calls, and jumps that are calls.
  std::vector<std::uint32_t> calls;
  std::vector<std::uint32_t> jumps;
  std::vector<std::uint32_t> conditional_jumps;
  std::vector<std::uint32_t> sleds;  // of XRay

  std::uint64_t CallSites() const;  // of all functions, sleds not among them
};

InterfaceUses FindInterfaceUses(const code::ProgramCode& code,
                                const MeasurementInterface& measurement);

// The name that a call site goes to, as in the file; empty where that is not one name.
std::string_view CalledName(const code::ProgramCode& code, const code::CallSite& site);

}  // namespace tare::mix
