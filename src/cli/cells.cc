// cells.cc: conversion of results to cells.
#include "cli/cells.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"

namespace tare::cli {

Measured Count(std::uint64_t count) {
  CHECK(count >> 63 == 0);
  return Exact(static_cast<std::int64_t>(count));
}

Measured WithCaveats(Measured measured, std::span<const Caveat> caveats) {
  for (const Caveat& caveat : caveats) {
    const CaveatRow& row = Row(caveat.key);
    if (row.verdict <= measured.verdict) continue;
    measured.verdict = row.verdict;
    measured.reason = caveat.detail.empty() ? std::string(row.message)
                                            : fmt::format("{}: {}", row.message, caveat.detail);
  }
  return measured;
}

bool IsReplaced(std::span<const Caveat> caveats) {
  return std::ranges::find(caveats, CaveatId::kExecNotFollowed, &Caveat::key) != caveats.end();
}

void AddCaveats(report::Document& document, std::span<const Caveat> caveats) {
  std::vector<report::StatedCaveat>& all = document.caveats;
  const auto refuses = [](const report::StatedCaveat& caveat) {
    return caveat.verdict == Verdict::kRefused;
  };
  for (const Caveat& caveat : caveats) {
    report::StatedCaveat stated = report::State(caveat);
    if (std::ranges::find(all, stated) != all.end()) continue;
    const auto place = refuses(stated) ? std::ranges::find_if_not(all, refuses) : all.end();
    all.insert(place, std::move(stated));
  }
}

void RefuseNumbers(report::Document& document, std::span<const Caveat> caveats) {
  const bool refuses = std::ranges::any_of(
      caveats, [](const Caveat& caveat) { return Row(caveat.key).verdict == Verdict::kRefused; });
  if (!refuses) return;
  for (report::Block& block : document.blocks) {
    auto* const table = std::get_if<report::Table>(&block);
    if (table == nullptr) continue;
    for (auto& row : table->rows) {
      for (report::Cell& cell : row) {
        auto* const measured = std::get_if<Measured>(&cell);
        if (measured != nullptr && measured->value) *measured = WithCaveats(*measured, caveats);
      }
    }
  }
}

Result<double> Confidence(const std::optional<double>& given) {
  const double confidence = given.value_or(0.95);
  if (confidence > 0 && confidence < 1) return confidence;
  return Fail(
      ErrorKind::kUsage,
      fmt::format("--confidence {}: expected a number between 0 and 1, such as 0.95", confidence));
}

}  // namespace tare::cli
