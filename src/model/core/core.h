// core.h: a model of one core with its caches, TLBs and branch predictors.
#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "model/core/branch_unit.h"
#include "model/core/model_event.h"
#include "model/core/processor.h"
#include "model/core/recent_lines.h"

namespace tare::model {

// One data access.
struct DataAccess {
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;  // 1 to 65536; may span more than two lines
  bool store = false;
  std::uint64_t site = 0;  // address of the instruction
};

// Accesses must be passed in program order. Their events are added to `to`. An access without
// events, such as a repeated access to a recent line, takes very little time. The same accesses
// give the same counts.
class Core {
 public:
  // Fails (kUsage) on a description that Validate rejects.
  static Result<Core> Make(const Processor& processor);
  Core(Core&&) noexcept;
  Core& operator=(Core&&) noexcept;
  ~Core();

  unsigned code_line_bytes() const;
  unsigned data_line_bytes() const;
  // Fetches `bytes` bytes of code (at least 1) from `address` on, all lines in order. With
  // Split::kOnce the whole range is one access, so an instruction that spans two lines must be
  // passed separately.
  void Fetch(std::uint64_t address, std::uint32_t bytes, EventCounts& to) {
    time_ += kClockStep;
    const RecentLines::View recent = recent_code_->view();
    if (recent.Use(address, bytes - 1, false, time_)) return;
    if (recent.UseTwo(address, bytes - 1, false, time_)) {
      time_ += kClockStep;
      return;
    }
    time_ = FetchSlow(time_, address, bytes, to);
  }
  void Access(const DataAccess& access, EventCounts& to) {
    time_ += kClockStep;
    const RecentLines::View recent = recent_data_->view();
    if (recent.Use(access.address, access.bytes - 1, access.store, time_)) return;
    if (recent.UseTwo(access.address, access.bytes - 1, access.store, time_)) {
      time_ += kClockStep;
      return;
    }
    time_ = AccessSlow(time_, access, to);
  }

  // The same for a loop that keeps the state of every access in registers: the views of recent
  // lines and the time of use. In memory, each access would have to wait for the previous one. The
  // loop starts with time(), adds kClockStep for each access and asks the view: first Use, and then
  // UseTwo, which takes another kClockStep. If the view does not know the lines, it calls a
  // function below, which returns the time to continue with. At the end it passes the time to
  // SetTime.
  struct Recent {
    RecentLines::View code;
    RecentLines::View data;
  };
  Recent recent() const { return {recent_code_->view(), recent_data_->view()}; }
  std::uint64_t time() const { return time_; }
  void SetTime(std::uint64_t time) { time_ = time; }
  std::uint64_t FetchSlow(std::uint64_t time, std::uint64_t address, std::uint32_t bytes,
                          EventCounts& to);
  std::uint64_t AccessSlow(std::uint64_t time, const DataAccess& access, EventCounts& to);

  BranchUnit& branches() { return branches_; }

 private:
  struct State;

  explicit Core(const Processor& processor);

  RecentLines* recent_code_;  // point into state_
  RecentLines* recent_data_;
  std::uint64_t time_ = 0;
  BranchUnit branches_;
  std::unique_ptr<State> state_;
};

}  // namespace tare::model
