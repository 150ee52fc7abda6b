// processor_change.cc: applies changes to the caches of a description.
#include "model/core/processor_change.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>

#include "base/printable.h"
#include "machine/profile/whatif.h"

namespace tare::model {
namespace {

using machine_profile::Change;
using machine_profile::LevelField;

// Far above every cache, and exact in all types involved.
constexpr double kMaxCacheBytes = 0x1p50;
constexpr double kMaxWaysOrLine = 0x1p20;

Result<CacheLevel*> LevelOf(const Change& change, Processor& processor) {
  std::string name = change.level;
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  if (name == "l1d" || name == "l1") return &processor.l1d;
  if (name == "l1i") return &processor.l1i;
  if (name != "l2" && name != "l3") {
    return Fail(ErrorKind::kUsage, fmt::format("{}: no such level; there are L1d, L1i, L2 and L3",
                                               Printable(change.text)));
  }
  auto& level = name == "l2" ? processor.l2 : processor.l3;
  if (level) return &*level;
  return Fail(ErrorKind::kUsage, fmt::format("{}: {} has no such level", Printable(change.text),
                                             Printable(processor.name)));
}

Result<void> Apply(const Change& change, Processor& processor) {
  const bool scales = change.kind == Change::Kind::kScale;
  const bool counted = change.field == LevelField::kBytes || change.field == LevelField::kWays ||
                       change.field == LevelField::kLine;
  if ((change.kind != Change::Kind::kSet && !scales) || !counted) {
    return Fail(ErrorKind::kUsage,
                fmt::format("{}: only bytes, ways and line of L1d, L1i, L2 and L3 decide what a "
                            "cache holds; times belong to tare predict --whatif",
                            Printable(change.text)));
  }
  TRY(CacheLevel * level, LevelOf(change, processor));
  const auto changed = [&](double old, double most) {
    return static_cast<std::uint64_t>(
        std::min(std::round(scales ? old * change.value : change.value), most));
  };
  if (change.field == LevelField::kBytes) {
    level->bytes = changed(static_cast<double>(level->bytes), kMaxCacheBytes);
  } else if (change.field == LevelField::kWays) {
    level->ways = static_cast<unsigned>(changed(level->ways, kMaxWaysOrLine));
  } else {
    level->line_bytes = static_cast<unsigned>(changed(level->line_bytes, kMaxWaysOrLine));
  }
  return {};
}

}  // namespace

Result<ProcessorRange> ChangesOf(std::string_view text, const Processor& processor) {
  TRY(const auto series, machine_profile::ParseWhatIf(text));
  ProcessorRange range{series.ranged, series.unit, {}};
  for (const machine_profile::WhatIf& whatif : series.machines) {
    ChangedProcessor changed{whatif.text, whatif.x, processor};
    for (const Change& change : whatif.changes) TRY_VOID(Apply(change, changed.processor));
    TRY_VOID(Validate(changed.processor));
    changed.processor.name = fmt::format("{} {}", processor.name, changed.text);
    range.processors.push_back(std::move(changed));
  }
  return range;
}

}  // namespace tare::model
