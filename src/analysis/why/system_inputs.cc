// system_inputs.cc: logs for the levels of time, random numbers and system files.
#include "analysis/why/system_inputs.h"

#include <fmt/format.h>

#include <array>

#include "base/file.h"
#include "format/system_log_clock.h"

namespace tare::why {
namespace {

struct Playable {
  Factor factor;
  format::SystemLogKind kind;
};

constexpr std::array kPlayable = {Playable{Factor::kTime, format::SystemLogKind::kTime},
                                  Playable{Factor::kRandom, format::SystemLogKind::kRandom},
                                  Playable{Factor::kSystem, format::SystemLogKind::kSystem}};
constexpr unsigned kLevels = 16;

// 4271 s is 1 h 11 min 11 s, so hour, minute and second all change at each level.
format::ClockChange ChangeAt(unsigned level) {
  const double stretch = 1 + 0.37 * level;
  return {std::int64_t{4271} * level, level % 2 == 0 ? 1 / stretch : stretch};
}

}  // namespace

Result<Told> Told::Open() {
  TRY(auto directory, PrivateDirectory::Make());
  return Told(std::move(directory));
}

std::filesystem::path Told::HeldPath() const { return directory_.path() / "held"; }

engine::SystemLogs Told::ToRecord() const {
  engine::SystemLogs system_logs;
  system_logs.record = HeldPath();
  return system_logs;
}

Result<void> Told::Recorded() {
  TRY(held_, format::ReadSystemLog(HeldPath()));
  return {};
}

std::vector<Choice> Told::Choices() const {
  std::vector<Choice> choices;
  for (const Playable& playable : kPlayable) {
    if (held_ && held_->Asked(playable.kind) > 0) choices.push_back({playable.factor, kLevels});
  }
  return choices;
}

Result<std::filesystem::path> Told::TimeSystemLog(unsigned level) {
  const auto path = directory_.path() / fmt::format("time{}", level);
  TRY_VOID(WriteFileAtomically(path, format::WithClocks(*held_, ChangeAt(level))));
  tapes_[{Factor::kTime, level}] = path;
  return path;
}

Result<engine::SystemLogs> Told::At(const Levels& levels) {
  engine::SystemLogs system_logs;
  pending_.clear();
  for (const Playable& playable : kPlayable) {
    const auto level = levels.find(playable.factor);
    if (level == levels.end()) {
      system_logs.play[playable.kind] = HeldPath();
      continue;
    }
    const auto known = tapes_.find(*level);
    if (known != tapes_.end()) {
      system_logs.play[playable.kind] = known->second;
    } else if (playable.factor == Factor::kTime) {
      TRY(system_logs.play[playable.kind], TimeSystemLog(level->second));
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

void Told::Finished() {
  std::error_code error;
  if (!std::filesystem::exists(recording_, error)) pending_.clear();
  for (const auto& level : pending_) tapes_[level] = recording_;
  pending_.clear();
}

}  // namespace tare::why
