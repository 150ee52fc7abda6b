// machine_report.cc: selects and orders the blocks of a profile.
#include "cli/commands/machine/machine_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"
#include "base/units.h"
#include "cli/cells.h"
#include "cli/commands/machine/machine_plots.h"
#include "cli/commands/machine/machine_tables.h"
#include "machine/profile/memory_model.h"
#include "report/figures.h"

namespace tare::cli {
namespace {

using Curves = std::vector<const machine_profile::Curve*>;

std::string TitleOf(const machine_profile::Profile& profile) {
  const std::string_view who = profile.machine.empty() ? profile.model : profile.machine;
  return fmt::format("Machine profile {}: {}, {}", profile.name, who, Name(profile.origin));
}

// The most informative curves about caches: sequential and random.
Curves CurvesForHits(const machine_profile::Profile& profile) {
  Curves curves;
  for (const machine_profile::Pattern pattern :
       {machine_profile::Pattern::kStrided, machine_profile::Pattern::kRandom}) {
    const machine_profile::Curve* curve =
        profile.FindCurve({machine_profile::Access::kLoad, pattern, 1, 8});
    if (curve != nullptr) curves.push_back(curve);
  }
  return curves;
}

std::string MoreText(const machine_profile::Profile& profile) {
  const std::string graphs =
      profile.graphs.empty() ? "" : fmt::format(" and {} graphs", profile.graphs.size());
  return fmt::format(
      "More: --curves all shows all {} curves{}, --curves random those with that word, --hits the "
      "hit rates of the caches, --json everything.",
      profile.curves.size(), graphs);
}

// Removes columns that are empty in every row.
void DropEmptyColumns(report::Table& table) {
  for (std::size_t column = table.columns.size(); column-- > 0;) {
    const bool empty = std::ranges::all_of(table.rows, [&](const auto& row) {
      return std::holds_alternative<std::monostate>(row[column]);
    });
    if (!empty) continue;
    const auto at = static_cast<std::ptrdiff_t>(column);
    table.columns.erase(table.columns.begin() + at);
    for (auto& row : table.rows) row.erase(row.begin() + at);
  }
}

std::string InUnit(double value, std::string_view unit) {
  const ScaledUnit scaled = ReadableUnit(value, unit);
  return fmt::format("{} {}", report::ShowRounded(value * scaled.factor, 3), scaled.symbol);
}

// Behind a capacity that was discovered with doubt; with what the system reports, if it does.
std::string SizeDoubt(const machine_profile::Profile& profile, const std::string& level) {
  if (profile.origin != machine_profile::Origin::kMeasured) return "";
  const report::Table discovered = DiscoveredTable(profile);
  for (const auto& row : discovered.rows) {
    const auto* what = std::get_if<std::string>(&row.front());
    if (what == nullptr || *what != level + " capacity") continue;
    const auto* measured = row.size() > 1 ? std::get_if<Measured>(&row[1]) : nullptr;
    if (measured == nullptr || measured->verdict == Verdict::kValid) return "";
    return " (doubtful)";
  }
  return "";
}

// "L1 32 KiB, L2 1 MiB; loads run at 120 GB/s in L1 and 11 GB/s in memory; ..."
std::string ProfileAnswer(const machine_profile::Profile& profile) {
  if (profile.levels.empty()) return "";
  std::string sizes;
  for (const machine_profile::Level& level : profile.levels) {
    if (level.bytes == 0 || &level == &profile.levels.back()) continue;
    sizes +=
        fmt::format("{}{} {}{}", sizes.empty() ? "" : ", ", Printable(level.name),
                    InUnit(static_cast<double>(level.bytes), "B"), SizeDoubt(profile, level.name));
  }
  const auto range = [&](auto member, std::string_view unit) {
    const machine_profile::Level* first = nullptr;
    const machine_profile::Level* last = nullptr;
    for (const machine_profile::Level& level : profile.levels) {
      if (!(level.*member)) continue;
      if (first == nullptr) first = &level;
      last = &level;
    }
    if (first == nullptr || first == last) return std::string();
    return fmt::format("{} in {} and {} in {}", InUnit((first->*member)->Value(), unit),
                       Printable(first->name), InUnit((last->*member)->Value(), unit),
                       Printable(last->name));
  };
  std::string text = fmt::format("{} has {}", Printable(profile.name),
                                 sizes.empty() ? "no caches of known size" : sizes);
  if (const auto loads = range(&machine_profile::Level::load, "B/s"); !loads.empty()) {
    text += fmt::format("; loads run at {}", loads);
  }
  if (const auto waits = range(&machine_profile::Level::latency, "s"); !waits.empty()) {
    text += fmt::format("; a dependent load takes {}", waits);
  }
  return text + ".";
}

class ProfileBlocks {
 public:
  ProfileBlocks(const machine_profile::Profile& profile, const ProfileView& view, bool whole)
      : profile_(profile), view_(view), whole_(whole) {}

  Result<std::vector<report::Block>> Make() {
    const std::vector<std::string> all = {"all"};
    TRY(const Curves chosen, ChooseCurves(profile_, view_.curves));
    TRY(const Curves every, ChooseCurves(profile_, all));
    if (profile_.curves.empty()) AddNoCurves();
    AddPlot(BandwidthPlot(profile_));
    AddTable(LevelTable(profile_));
    AddTable(LevelRateTable(profile_));
    AddPlot(LatencyPlot(profile_));
    for (auto& plot : CurvePlots(profile_, whole_ ? every : chosen)) AddPlot(std::move(plot));
    if (whole_ || std::ranges::find(view_.curves, "all") != view_.curves.end()) {
      for (auto& plot : GraphPlots(profile_)) AddPlot(std::move(plot));
    }
    if (view_.hits) AddTable(HitTable(profile_, chosen.empty() ? CurvesForHits(profile_) : chosen));
    AddTable(RateTable(profile_, whole_));
    AddTable(DiscoveredTable(profile_));
    AddTable(TlbTable(profile_));
    if (whole_) {
      AddTable(CurveTable(profile_, every, true));
    } else if (!chosen.empty() && !view_.hits && !AllChosen()) {
      AddTable(CurveTable(profile_, chosen, false));
    }
    AddTable(AboutTable(profile_, whole_));
    if (auto answer = ProfileAnswer(profile_); !answer.empty()) {
      blocks_.emplace_back(report::Text{"answer", std::move(answer)});
    }
    if (!whole_ && chosen.empty() && !profile_.curves.empty()) {
      blocks_.emplace_back(report::Text{"more", MoreText(profile_)});
    }
    return std::move(blocks_);
  }

 private:
  bool AllChosen() const { return std::ranges::find(view_.curves, "all") != view_.curves.end(); }

  void AddNoCurves() {
    const auto model =
        machine_profile::ModelFromLevels(profile_.levels, machine_profile::CurveKey{}, 8);
    blocks_.emplace_back(report::Text{
        "no_curves", fmt::format("No curves were measured, and they cannot be computed{}",
                                 model ? "." : fmt::format(": {}.", model.error().message))});
  }

  // Machine-readable output has every block, even empty ones.
  void AddTable(report::Table table) {
    if (!whole_) DropEmptyColumns(table);
    if (whole_ || !table.rows.empty()) blocks_.emplace_back(std::move(table));
  }
  void AddPlot(report::Series plot) {
    if (whole_ || !plot.lines.empty()) blocks_.emplace_back(std::move(plot));
  }

  const machine_profile::Profile& profile_;
  const ProfileView& view_;
  bool whole_;
  std::vector<report::Block> blocks_;
};

}  // namespace

Result<report::Document> ProfileDocument(const machine_profile::Profile& profile,
                                         const ProfileView& view, bool all) {
  report::Document document;
  document.title = TitleOf(profile);
  const machine_profile::Profile whole = machine_profile::WithCurves(profile);
  TRY(document.blocks, ProfileBlocks(whole, view, all).Make());
  AddCaveats(document, CaveatsOf(profile));
  return document;
}

std::vector<std::string> ProfileDetails() { return {"about", "tlbs", "discovered", "level_rates"}; }

}  // namespace tare::cli
