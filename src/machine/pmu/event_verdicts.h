// event_verdicts.h: which events failed the last self-test of this machine, stored between runs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "machine/pmu/pmu_event.h"

namespace tare::pmu {

inline constexpr int kVerdictsFormat = 2;

// The result of one event under one source of counts. An event with several tests fails if one of
// them does.
struct EventVerdict {
  std::string source;  // "hardware", "kernel", "valgrind"
  std::string event;   // "branch-misses"; '-' and '_' are the same
  bool passed = false;
  std::string detail;     // of a failure: "200 instead of 100 to 101"
  std::string code = {};  // CodeText() of what was opened; empty: an engine counted

  friend bool operator==(const EventVerdict&, const EventVerdict&) = default;
};

// The code without the modes in which it counts: "1:2:0:0". Two names of one event have the same.
std::string CodeText(const EventCode& code);

// The verdicts hold for one machine until it boots again: another kernel, microcode or hypervisor
// may count differently.
struct EventVerdicts {
  std::string machine;
  std::string kernel;
  std::string boot;  // /proc/sys/kernel/random/boot_id
  std::string time;
  std::vector<EventVerdict> events;

  friend bool operator==(const EventVerdicts&, const EventVerdicts&) = default;
};

// self-test-MACHINE.json in the StateDirectory of `xdg_state_home` and `home`.
Result<std::filesystem::path> VerdictsPath(const std::optional<std::string>& xdg_state_home,
                                           const std::optional<std::string>& home,
                                           std::string_view machine);

std::string FormatVerdicts(const EventVerdicts& verdicts);
// Rejects other formats.
Result<EventVerdicts> ParseVerdicts(std::string_view text);

// Creates a missing directory.
Result<void> WriteVerdicts(const std::filesystem::path& path, const EventVerdicts& verdicts);
Result<EventVerdicts> ReadVerdicts(const std::filesystem::path& path);

// Why a number of this event is doubtful; absent if its last test passed or there was none. One of
// `sources` must be the source of the test; the engine "virtual" counts instructions as "valgrind"
// does. `event` may be another name of an event of the processor or the kernel that failed.
std::optional<std::string> FailedTest(const EventVerdicts& verdicts,
                                      std::span<const std::string> sources, std::string_view event);

}  // namespace tare::pmu
