// system_inputs.cc: logs for the levels of time, random numbers and system files.
#include "analysis/why/system_inputs.h"

#include <fmt/format.h>

#include <array>

#include "base/file.h"
#include "format/system_log_clock.h"

namespace tare::why {
namespace {

struct Replayable {
  Factor factor;
  format::SystemLogKind kind;
};

constexpr std::array kReplayable = {Replayable{Factor::kTime, format::SystemLogKind::kTime},
                                    Replayable{Factor::kRandom, format::SystemLogKind::kRandom},
                                    Replayable{Factor::kSystem, format::SystemLogKind::kSystem}};
constexpr unsigned kLevels = 16;

// 4271 s is 1 h 11 min 11 s, so hour, minute and second all change at each level.
format::ClockChange ChangeAt(unsigned level) {
  const double stretch = 1 + 0.37 * level;
  return {std::int64_t{4271} * level, level % 2 == 0 ? 1 / stretch : stretch};
}

}  // namespace

Result<SystemInputs> SystemInputs::Open() {
  TRY(auto directory, PrivateDirectory::Make());
  return SystemInputs(std::move(directory));
}

std::filesystem::path SystemInputs::BaseLogPath() const { return directory_.path() / "base"; }

engine::SystemLogs SystemInputs::ToRecord() const {
  engine::SystemLogs system_logs;
  system_logs.record = BaseLogPath();
  return system_logs;
}

Result<void> SystemInputs::Recorded() {
  TRY(log_, format::ReadSystemLog(BaseLogPath()));
  return {};
}

std::vector<FactorLevels> SystemInputs::Factors() const {
  std::vector<FactorLevels> factors;
  for (const Replayable& replayable : kReplayable) {
    if (log_ && log_->Requests(replayable.kind) > 0)
      factors.push_back({replayable.factor, kLevels});
  }
  return factors;
}

Result<std::filesystem::path> SystemInputs::TimeSystemLog(unsigned level) {
  const auto path = directory_.path() / fmt::format("time{}", level);
  TRY_VOID(WriteFileAtomically(path, format::WithClocks(*log_, ChangeAt(level))));
  logs_[{Factor::kTime, level}] = path;
  return path;
}

Result<engine::SystemLogs> SystemInputs::At(const Levels& levels) {
  engine::SystemLogs system_logs;
  pending_.clear();
  for (const Replayable& replayable : kReplayable) {
    const auto level = levels.find(replayable.factor);
    if (level == levels.end()) {
      system_logs.replay[replayable.kind] = BaseLogPath();
      continue;
    }
    const auto known = logs_.find(*level);
    if (known != logs_.end()) {
      system_logs.replay[replayable.kind] = known->second;
    } else if (replayable.factor == Factor::kTime) {
      TRY(system_logs.replay[replayable.kind], TimeSystemLog(level->second));
    } else {
      pending_.push_back(*level);
    }
  }
  if (!pending_.empty()) {
    recording_ = directory_.path() / fmt::format("recorded{}", ++recorded_);
    system_logs.record = recording_;
  }
  return system_logs;
}

void SystemInputs::Finished() {
  std::error_code error;
  if (!std::filesystem::exists(recording_, error)) pending_.clear();
  for (const auto& level : pending_) logs_[level] = recording_;
  pending_.clear();
}

}  // namespace tare::why
