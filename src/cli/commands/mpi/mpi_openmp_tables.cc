// mpi_openmp_tables.cc: the tables of parallel regions and barriers.
#include "cli/commands/mpi/mpi_openmp_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/cells.h"
#include "measure/mpi/openmp_places.h"
#include "report/figures.h"

namespace tare::cli {
namespace {

constexpr std::size_t kShownThreadRanks = 8;
constexpr std::size_t kShownPlaces = 5;
// Less is not worth a sentence.
constexpr double kNotableShare = 0.05;

// Cells of the columns from `regions` on.
void AddTotalCells(const mpi::OpenMpTotals& totals, std::vector<report::Cell>& row) {
  const auto has_time = [&totals](double value) {
    return totals.regions > 0 ? Unbounded(value) : Absent("there was no parallel region");
  };
  row.emplace_back(Count(totals.regions));
  row.emplace_back(has_time(totals.seconds));
  row.emplace_back(has_time(totals.waiting_seconds));
  row.emplace_back(has_time(100 * totals.WaitingShare()));
  row.emplace_back(totals.balanced_seconds > 0 ? Unbounded(totals.Imbalance())
                                               : Absent("no CPU time in parallel regions"));
  row.emplace_back(Count(totals.barriers));
  row.emplace_back(has_time(totals.work_seconds));
}

std::vector<report::Column> TotalColumns(std::vector<report::Column> first) {
  const std::vector<report::Column> totals = {{"regions"},    {"time", "s"}, {"waiting", "s"},
                                              {"share", "%"}, {"imbalance"}, {"barriers"},
                                              {"work", "s"}};
  first.insert(first.end(), totals.begin(), totals.end());
  return first;
}

report::Table RankThreads(const mpi::OpenMpSummary& summary, bool all) {
  report::Table table{
      "openmp", "OpenMP threads of each rank", TotalColumns({{"rank"}, {"threads"}}), {}};
  const std::size_t shown =
      all ? summary.ranks.size() : std::min(summary.ranks.size(), kShownThreadRanks);
  for (std::size_t i = 0; i < shown; ++i) {
    const mpi::RankOpenMp& rank = summary.ranks[i];
    std::vector<report::Cell> row = {Number(std::int64_t{rank.rank}), Count(rank.totals.threads)};
    AddTotalCells(rank.totals, row);
    if (const std::string absence = mpi::OpenMpAbsence(rank.runtime); !absence.empty()) {
      for (std::size_t c = 1; c < row.size(); ++c) row[c] = Absent(absence);
    }
    table.rows.push_back(std::move(row));
  }
  if (shown < summary.ranks.size()) {
    table.title = fmt::format("OpenMP threads of the first {} of {} ranks (-v shows all)", shown,
                              summary.ranks.size());
  }
  return table;
}

report::Table RegionTable(const mpi::OpenMpSummary& summary, mpi::PlaceNames& names, bool all) {
  report::Table table{"regions",
                      "OpenMP parallel regions of all ranks",
                      TotalColumns({{"function"}, {"threads"}}),
                      {}};
  const std::size_t shown =
      all ? summary.places.size() : std::min(summary.places.size(), kShownPlaces);
  for (std::size_t i = 0; i < shown; ++i) {
    const mpi::PlaceOpenMp& place = summary.places[i];
    std::vector<report::Cell> row = {names.NameOf(place), Count(place.totals.threads)};
    AddTotalCells(place.totals, row);
    table.rows.push_back(std::move(row));
  }
  if (shown < summary.places.size()) {
    table.title = fmt::format("The {} longest of {} OpenMP parallel regions (-v shows all)", shown,
                              summary.places.size());
  }
  return table;
}

report::Table WaitTable(const mpi::OpenMpSummary& summary) {
  report::Table table{
      "waits", "What OpenMP threads waited for", {{"wait"}, {"waits"}, {"time", "s"}}, {}};
  for (const mpi::WaitTotals& wait : summary.waits) {
    table.rows.push_back(
        {std::string(mpi::Name(wait.kind)), Count(wait.waits), Unbounded(wait.seconds)});
  }
  return table;
}

bool HasRuntime(const mpi::OpenMpSummary& summary) {
  return std::ranges::any_of(summary.ranks, [](const mpi::RankOpenMp& rank) {
    return rank.totals.regions > 0 || !mpi::OpenMpAbsence(rank.runtime).empty();
  });
}

}  // namespace

std::string OpenMpSentence(const mpi::OpenMpSummary& summary, double seconds) {
  const mpi::OpenMpTotals& all = summary.all;
  const double share = all.WaitingShare();
  if (share < kNotableShare || all.seconds < kNotableShare * seconds) return "";
  std::string text =
      fmt::format(" In parallel regions, OpenMP threads waited for {} % of their time",
                  report::ShowRounded(100 * share, 3));
  const auto longest = std::ranges::max_element(
      summary.places, {}, [](const auto& place) { return place.totals.waiting_seconds; });
  if (summary.places.size() > 1) {
    mpi::PlaceNames names;
    text += fmt::format(", most of it in {}", names.NameOf(*longest));
  }
  return text + ".";
}

void AddOpenMpTables(const mpi::OpenMpSummary& summary, const MpiView& view,
                     report::Document& document) {
  if (!HasRuntime(summary)) return;
  document.blocks.emplace_back(RankThreads(summary, view.verbose));
  if (summary.places.empty()) return;
  mpi::PlaceNames names;
  document.blocks.emplace_back(RegionTable(summary, names, view.verbose));
  if (view.verbose) document.blocks.emplace_back(WaitTable(summary));
}

}  // namespace tare::cli
