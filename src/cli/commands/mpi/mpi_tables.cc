// mpi_tables.cc: the tables of `tare mpi`.
#include "cli/commands/mpi/mpi_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <ranges>
#include <set>

#include "base/grouped.h"
#include "base/printable.h"
#include "cli/cells.h"
#include "cli/commands/mpi/mpi_openmp_tables.h"
#include "measure/mpi/mpi_summary.h"
#include "report/figures.h"

namespace tare::cli {
namespace {

constexpr std::size_t kShownRanks = 8;
constexpr std::size_t kShownFunctions = 10;

std::string Ranks(std::size_t count) {
  return fmt::format("{} {}", count, count == 1 ? "rank" : "ranks");
}

double PercentOf(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

bool IsWithoutMpi(const mpi::JoinedTrace& joined) {
  return joined.trace.ranks.front().header.is_without_mpi;
}

std::string ProgramName(const mpi::JoinedTrace& joined) {
  const auto& program = joined.trace.ranks.front().header.program;
  const std::size_t slash = program.rfind('/');
  return program.empty()
             ? "the program"
             : Printable(slash == std::string::npos ? program : program.substr(slash + 1));
}

std::string OtherJobs(const mpi::JoinedTrace& joined) {
  if (joined.jobs <= 1) return "";
  return fmt::format(" This is job {} of {}; --job selects another.", joined.job, joined.jobs);
}

std::string OpenMpAnswer(const mpi::JoinedTrace& joined, const mpi::MpiSummary& summary,
                         const mpi::OpenMpSummary& openmp) {
  return fmt::format("{} ran for {} without MPI, {} of it in {} OpenMP parallel {}.{}{}",
                     ProgramName(joined), report::ShowSeconds(summary.seconds),
                     report::ShowSeconds(openmp.all.seconds),
                     report::ShowMeasured(Count(openmp.all.regions), 1).value,
                     openmp.all.regions == 1 ? "region" : "regions",
                     OpenMpSentence(openmp, summary.seconds), OtherJobs(joined));
}

std::string MpiAnswer(const mpi::JoinedTrace& joined, const mpi::MpiSummary& summary,
                      const mpi::OpenMpSummary& openmp) {
  double all = 0;
  double in_calls = 0;
  double start_up = 0;
  double least = 0;
  double most = 0;
  for (const mpi::RankSummary& rank : summary.ranks) {
    all += rank.seconds - rank.start_up_seconds;
    in_calls += rank.mpi_seconds - rank.start_up_seconds;
    start_up += rank.start_up_seconds;
    most = std::max(most, rank.compute_seconds);
    least = &rank == &summary.ranks.front() ? rank.compute_seconds
                                            : std::min(least, rank.compute_seconds);
  }
  std::string text = fmt::format(
      "{} of {} ran for {}, {} of it in MPI_Init. After that they spent {} % of their time in MPI",
      Ranks(summary.ranks.size()), ProgramName(joined), report::ShowSeconds(summary.seconds),
      report::ShowSeconds(start_up / static_cast<double>(summary.ranks.size())),
      report::ShowRounded(PercentOf(in_calls, all), 3));
  const auto longest = std::ranges::find_if(summary.functions, [](const auto& function) {
    return format::OperationOf(function.function) != TARE_MPI_INIT;
  });
  if (longest != summary.functions.end() && longest->seconds > 0) {
    text += fmt::format(", most of it in {} ({} %)", format::MpiFunctionName(longest->function),
                        report::ShowRounded(PercentOf(longest->seconds, all), 3));
  }
  text += ".";
  if (summary.ranks.size() > 1) {
    const std::string shortest = report::ShowSeconds(least);
    text += fmt::format(" Each computed for {}", shortest);
    if (report::ShowSeconds(most) != shortest)
      text += fmt::format(" to {}", report::ShowSeconds(most));
    text += " of CPU time.";
  }
  return text + OpenMpSentence(openmp, all) + OtherJobs(joined);
}

report::Table RankTable(const mpi::JoinedTrace& joined, const mpi::MpiSummary& summary, bool all) {
  report::Table table{"ranks",
                      "Ranks",
                      {{"rank"},
                       {"time", "s"},
                       {"compute", "s"},
                       {"mpi", "s"},
                       {"calls"},
                       {"messages"},
                       {"bytes", "B"},
                       {"collectives"},
                       {"state"}},
                      {}};
  if (all) table.columns.push_back({"host"});
  const std::size_t shown =
      all ? summary.ranks.size() : std::min(summary.ranks.size(), kShownRanks);
  for (std::size_t i = 0; i < shown; ++i) {
    const mpi::RankSummary& rank = summary.ranks[i];
    const auto& trace = joined.trace.ranks[i];
    std::vector<report::Cell> row = {
        Number(std::int64_t{rank.rank}),
        Unbounded(rank.seconds),
        Unbounded(rank.compute_seconds),
        Unbounded(rank.mpi_seconds),
        Count(rank.calls),
        Count(rank.messages),
        Count(rank.message_bytes),
        Count(rank.collectives),
        std::string(trace.outcome.complete ? "complete" : "incomplete")};
    if (trace.events.empty()) {
      const std::string reason = "the rank left no events";
      for (std::size_t c = 1; c <= 7; ++c) row[c] = Absent(reason);
    }
    if (all) row.emplace_back(Printable(trace.header.host));
    table.rows.push_back(std::move(row));
  }
  if (shown < summary.ranks.size()) {
    table.title =
        fmt::format("The first {} of {} ranks (-v shows all)", shown, summary.ranks.size());
  }
  return table;
}

// Of a process that is not a rank.
report::Table ProcessTable(const mpi::JoinedTrace& joined, const mpi::MpiSummary& summary) {
  const auto& process = joined.trace.ranks.front();
  return {"ranks",
          "Process",
          {{"rank"}, {"time", "s"}, {"state"}, {"host"}},
          {{Number(std::int64_t{0}), Unbounded(summary.seconds),
            std::string(process.outcome.complete ? "complete" : "incomplete"),
            Printable(process.header.host)}}};
}

report::Bars MpiRankBars(const mpi::MpiSummary& summary) {
  constexpr std::size_t kMaxBars = 64;
  report::Bars bars{"rank_bars", "Time of each rank", "s", {"compute", "MPI", "not running"}, {}};
  for (const mpi::RankSummary& rank : summary.ranks | std::views::take(kMaxBars)) {
    const double idle = std::max(0.0, rank.seconds - rank.compute_seconds - rank.mpi_seconds);
    bars.bars.push_back(
        {fmt::format("rank {}", rank.rank),
         {Unbounded(rank.compute_seconds), Unbounded(rank.mpi_seconds), Unbounded(idle)}});
  }
  return bars;
}

report::Table FunctionTable(const mpi::MpiSummary& summary, bool all) {
  report::Table table{"functions",
                      "Calls of all ranks",
                      {{"function"}, {"calls"}, {"time", "s"}, {"share", "%"}, {"bytes", "B"}},
                      {}};
  double total = 0;
  for (const auto& function : summary.functions) total += function.seconds;
  const std::size_t shown =
      all ? summary.functions.size() : std::min(summary.functions.size(), kShownFunctions);
  for (std::size_t i = 0; i < shown; ++i) {
    const mpi::FunctionSummary& function = summary.functions[i];
    table.rows.push_back({std::string(format::MpiFunctionName(function.function)),
                          Count(function.calls), Unbounded(function.seconds),
                          Unbounded(PercentOf(function.seconds, total)), Count(function.bytes)});
  }
  if (shown < summary.functions.size()) {
    table.title = fmt::format("The {} longest of {} functions, all ranks (-v shows all)", shown,
                              summary.functions.size());
  }
  return table;
}

report::Table SizeTable(const mpi::MpiSummary& summary) {
  report::Table table{"sizes",
                      "Messages point to point, by size",
                      {{"from", "B"}, {"below", "B"}, {"messages"}, {"bytes", "B"}},
                      {}};
  for (const mpi::SizeBucket& size : summary.sizes) {
    const std::uint64_t low = size.bucket == 0 ? 0 : std::uint64_t{1} << (size.bucket - 1);
    const std::uint64_t high = size.bucket >= 62 ? low : std::uint64_t{1} << size.bucket;
    table.rows.push_back({Count(low), Count(high), Count(size.messages), Count(size.bytes)});
  }
  return table;
}

report::Table CheckTable(const mpi::Matching& matching) {
  report::Table table{"checks", "Checks", {{"check"}, {"matched"}, {"unmatched"}}, {}};
  table.rows.push_back({std::string("messages received"), Count(matching.messages.size()),
                        Count(matching.unmatched_sends)});
  table.rows.push_back({std::string("receives with a message"), Count(matching.messages.size()),
                        Count(matching.unmatched_receives)});
  table.rows.push_back({std::string("sizes equal"),
                        Count(matching.messages.size() - matching.size_differs),
                        Count(matching.size_differs)});
  table.rows.push_back({std::string("collective calls"), Count(matching.collectives),
                        Count(matching.unmatched_collectives)});
  return table;
}

std::uint64_t Unmatched(const mpi::Matching& matching) {
  return matching.unmatched_sends + matching.unmatched_receives + matching.size_differs +
         matching.unmatched_collectives;
}

void AddUnmatched(const mpi::Matching& matching, report::Document& document) {
  if (Unmatched(matching) == 0) return;
  const Caveat caveat{CaveatId::kUnmatchedCalls,
                      matching.problems.empty() ? std::string() : matching.problems.front()};
  AddCaveats(document, std::span(&caveat, 1));
}

void AddOffProcessor(const mpi::MpiSummary& summary, report::Document& document) {
  double elapsed = 0;
  double cpu = 0;
  for (const mpi::RankSummary& rank : summary.ranks) {
    elapsed += rank.seconds - rank.mpi_seconds;
    cpu += rank.compute_seconds;
  }
  if (const auto caveat = mpi::OffProcessor(elapsed, cpu))
    AddCaveats(document, std::span(&*caveat, 1));
}

// Which modules count, and how much of the computation; empty: none.
std::string CountersText(const format::MpiTrace& trace) {
  std::set<std::string> names;
  double counted = 0;
  double computed = 0;
  for (const format::MpiRank& rank : trace.ranks) {
    for (const auto& module : rank.modules) {
      names.insert(std::filesystem::path(module.path).filename().string());
    }
    double pending = 0;  // bursts whose counters are with a later one
    for (const format::MpiEvent& event : rank.events) {
      if (event.thread != 0 || event.operation == TARE_MPI_INIT) continue;
      const auto burst = static_cast<double>(event.burst_cpu_ns);
      computed += burst;
      pending += burst;
      if (event.counters.count == 0) continue;
      counted += pending;
      pending = 0;
    }
  }
  if (names.empty() || !(computed > 0)) return "";
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + Printable(name);
  return fmt::format("{:.0f} % of the computation has counters of blocks, of {}.",
                     100 * counted / computed, list);
}

}  // namespace

bool IsSound(const mpi::JoinedTrace& joined, const mpi::Matching& matching) {
  return Unmatched(matching) == 0 && std::ranges::all_of(joined.trace.ranks, [](const auto& rank) {
           return rank.outcome.complete;
         });
}

void AddMpiTables(const mpi::JoinedTrace& joined, const MpiView& view, report::Document& document) {
  const mpi::MpiSummary summary = mpi::SummariseMpi(joined.trace);
  const mpi::Matching matching = mpi::MatchMpiTrace(joined.trace);
  const mpi::OpenMpSummary openmp = mpi::SummariseOpenMp(joined.trace);
  document.blocks.emplace_back(report::Text{"answer", IsWithoutMpi(joined)
                                                          ? OpenMpAnswer(joined, summary, openmp)
                                                          : MpiAnswer(joined, summary, openmp)});
  if (IsWithoutMpi(joined)) {
    document.blocks.emplace_back(ProcessTable(joined, summary));
  } else {
    document.blocks.emplace_back(RankTable(joined, summary, view.verbose));
    document.blocks.emplace_back(FunctionTable(summary, view.verbose));
  }
  AddOpenMpTables(openmp, view, document);
  if (const std::string text = CountersText(joined.trace); !text.empty()) {
    document.blocks.emplace_back(report::Text{"counters", text});
  }
  if (view.verbose && !IsWithoutMpi(joined)) {
    document.blocks.emplace_back(SizeTable(summary));
    document.blocks.emplace_back(CheckTable(matching));
    document.blocks.emplace_back(MpiRankBars(summary));
  }
  AddCaveats(document, joined.caveats);
  if (!IsWithoutMpi(joined)) AddOffProcessor(summary, document);
  AddUnmatched(matching, document);
  const auto& header = joined.trace.ranks.front().header;
  document.provenance.settings["mpi-library"] = Printable(header.library);
  document.provenance.settings["build-id"] = Printable(header.build_id);
}

void AddMpiCheck(const mpi::JoinedTrace& joined, report::Document& document) {
  const mpi::Matching matching = mpi::MatchMpiTrace(joined.trace);
  const std::uint64_t problems = Unmatched(matching);
  std::string answer;
  if (IsSound(joined, matching)) {
    answer = fmt::format(
        "The trace of {} is complete: each of its {} messages has its receive, and its {} "
        "collective calls match.",
        Ranks(joined.trace.ranks.size()), Grouped(matching.messages.size()),
        Grouped(matching.collectives));
  } else if (problems == 0) {
    answer = fmt::format("The trace of {} is incomplete, but all calls that it holds match.",
                         Ranks(joined.trace.ranks.size()));
  } else {
    answer = fmt::format("{} {} of the trace of {} {} no counterpart.", Grouped(problems),
                         problems == 1 ? "call" : "calls", Ranks(joined.trace.ranks.size()),
                         problems == 1 ? "has" : "have");
  }
  document.blocks.emplace_back(report::Text{"answer", std::move(answer)});
  document.blocks.emplace_back(CheckTable(matching));
  if (!matching.problems.empty()) {
    report::Table table{"problems", "Problems", {{"problem"}}, {}};
    for (const std::string& problem : matching.problems) table.rows.push_back({problem});
    document.blocks.emplace_back(std::move(table));
  }
  AddCaveats(document, joined.caveats);
  AddUnmatched(matching, document);
}

}  // namespace tare::cli
