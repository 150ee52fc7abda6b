// print_trace.h: single events as text, and the rules that every trace obeys.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "format/event_reader.h"

namespace tare::events {

struct PrintedEvent {
  std::uint32_t thread = 0;  // number in the trace
  std::string event;         // "block 401136", "load 7ffe10 8", "begin work 1.2 us"
  std::string where;         // function and object, or file and line
};

// The first `count` events whose function or name contains `match`; an empty `match` fits all.
Result<std::vector<PrintedEvent>> PrintEvents(const std::filesystem::path& path,
                                              std::uint64_t count, const std::string& match);

struct CheckedRule {
  std::string rule;
  std::uint64_t tested = 0;
  std::uint64_t broken = 0;
  std::string first;  // the first case that broke it
};

struct CheckedTrace {
  format::EventTraceOutcome outcome;
  std::uint64_t events = 0;
  std::vector<CheckedRule> rules;
};

Result<CheckedTrace> CheckTrace(const std::filesystem::path& path);

}  // namespace tare::events
