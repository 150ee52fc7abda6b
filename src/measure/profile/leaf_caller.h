// leaf_caller.h: the return address of the function that was sampled, which a call chain by frame
// pointer lacks if the function has no frame of its own, or not yet, or no longer.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "measure/profile/perf_records.h"
#include "measure/profile/process_maps.h"

namespace tare::profile {

// Where the return address is while an instruction of a function is executed.
struct ReturnRule {
  enum class Where {
    kUnknown,       // there is no call frame information
    kLinkRegister,  // not saved yet, restored already, or never saved
    kStack,         // `offset` above the stack pointer
    kFrame,         // in a frame that the frame pointer points to
    kNowhere,       // the outermost function
  };
  Where where = Where::kUnknown;
  std::int64_t offset = 0;
  // Whether the link register still has it although it was saved: the function has just done that.
  bool just_saved = false;

  friend bool operator==(const ReturnRule&, const ReturnRule&) = default;
};

// The call frame information (.eh_frame) of one file, read by libdw. Rules are kept by the range of
// addresses for which they hold.
class ReturnRules {
 public:
  // A file that cannot be read, and a tare without libdw, have no rules.
  explicit ReturnRules(const std::string& path);
  ~ReturnRules();
  ReturnRules(ReturnRules&&) noexcept;
  ReturnRules& operator=(ReturnRules&&) noexcept;

  ReturnRule At(std::uint64_t file_offset);

 private:
  struct File;
  std::unique_ptr<File> file_;
};

struct LeafCaller {
  enum class Known {
    kYes,      // `address` is the return address
    kInChain,  // the chain has it, or there is none
    kNo,
  };
  Known known = Known::kNo;
  std::uint64_t address = 0;
};

// What a rule says about a sample.
LeafCaller ApplyRule(const ReturnRule& rule, const PerfRecord& sample);

// Called with a sample that has ChainRegisters() and the address in the innermost function in user
// mode.
using FindLeafCaller =
    std::function<LeafCaller(const PerfRecord& sample, std::uint64_t address, ProcessMaps& maps)>;
FindLeafCaller MakeLeafCallerFinder();

}  // namespace tare::profile
