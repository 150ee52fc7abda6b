// core.h: one core with its caches, translations and branch predictors, told what a program does.
#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "model/core/branch_unit.h"
#include "model/core/model_event.h"
#include "model/core/processor.h"
#include "model/core/recent_lines.h"

namespace tare::model {

// One access of data.
struct DataAccess {
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;  // 1 to 65536; more lines than two are allowed
  bool store = false;
  std::uint64_t site = 0;  // address of the instruction
};

// Accesses are told in the order of the program. What each causes is added to `to`; what costs
// nothing, such as another access to a line that was used recently, costs next to nothing here. The
// same accesses give the same counts.
class Core {
 public:
  // kUsage for a description that Validate refuses.
  static Result<Core> Make(const Processor& processor);
  Core(Core&&) noexcept;
  Core& operator=(Core&&) noexcept;
  ~Core();

  unsigned code_line_bytes() const;
  unsigned data_line_bytes() const;
  // Code from `address` on, `bytes` of it (1 or more): all its lines in order. With Split::kOnce
  // the whole is one access: an instruction that lies in two lines is then told by itself.
  void Fetch(std::uint64_t address, std::uint32_t bytes, EventCounts& to) {
    moment_ += kClockStep;
    if (recent_code_->view().Use(address, bytes - 1, false, moment_)) return;
    moment_ = FetchElsewhere(moment_, address, bytes, to);
  }
  void Access(const DataAccess& access, EventCounts& to) {
    moment_ += kClockStep;
    if (recent_data_->view().Use(access.address, access.bytes - 1, access.store, moment_)) return;
    moment_ = AccessElsewhere(moment_, access, to);
  }

  // The same for a loop, which keeps in registers what every access needs: where recent lines are
  // looked for, and the moment of use; in memory, each access would have to wait for the one
  // before. It begins with moment(), adds kClockStep for each access, asks the view, and tells here
  // what that does not know. These return the moment that it goes on with; SetMoment takes what it
  // ended with.
  struct Recent {
    RecentLines::View code;
    RecentLines::View data;
  };
  Recent recent() const { return {recent_code_->view(), recent_data_->view()}; }
  std::uint64_t moment() const { return moment_; }
  void SetMoment(std::uint64_t moment) { moment_ = moment; }
  std::uint64_t FetchElsewhere(std::uint64_t moment, std::uint64_t address, std::uint32_t bytes,
                               EventCounts& to);
  std::uint64_t AccessElsewhere(std::uint64_t moment, const DataAccess& access, EventCounts& to);

  BranchUnit& branches() { return branches_; }

 private:
  struct State;

  explicit Core(const Processor& processor);

  RecentLines* recent_code_;  // of the state
  RecentLines* recent_data_;
  std::uint64_t moment_ = 0;
  BranchUnit branches_;
  std::unique_ptr<State> state_;
};

}  // namespace tare::model
