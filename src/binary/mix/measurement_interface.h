// measurement_interface.h: calls that compilers and tools insert into programs to measure them.
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
  // The known interfaces, plus names of which a part matches `pattern` (a POSIX extended regular
  // expression), unless it is empty. Errors: kUsage.
  static Result<MeasurementInterface> Make(const std::string& pattern);

  // The interface that the function belongs to: "-finstrument-functions", "mcount", "given by
  // --interface".
  std::optional<std::string_view> OwnerOf(std::string_view name) const;

 private:
  std::shared_ptr<const regex_t> given_;
};

struct InterfaceUse {
  std::string name;  // of the called function; "XRay sled" for places that are patched at run time
  std::string owner;
  std::uint64_t sites = 0;
  std::uint64_t functions = 0;  // that contain such sites
};

// The uses in one file.
struct InterfaceUses {
  std::vector<InterfaceUse> uses;  // by sites, in descending order
  // Call sites of the interface per function: calls, and jumps that are tail calls.
  std::vector<std::uint32_t> calls;
  std::vector<std::uint32_t> jumps;
  std::vector<std::uint32_t> conditional_jumps;
  std::vector<std::uint32_t> sleds;  // of XRay

  std::uint64_t CallSites() const;  // of all functions, without sleds
};

InterfaceUses FindInterfaceUses(const code::ProgramCode& code,
                                const MeasurementInterface& measurement);

// The name of the call target, as in the file; empty where there is no single name.
std::string_view CalledName(const code::ProgramCode& code, const code::CallSite& site);

}  // namespace tare::mix
