// trace_file.cc: heads, end facts and thinning of trace files.
#include "measure/sample/trace_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <system_error>
#include <tuple>

#include "base/near_match.h"
#include "base/printable.h"
#include "format/series_thin.h"

namespace tare::sample {

format::SeriesHead MakeHead(const TraceRequest& request, const Pace& pace) {
  format::SeriesHead head;
  head.interval = pace.IntervalNs();
  head.clock = request.sampler == Sampler::kInstructions ? "instructions" : "ns";
  StartFacts facts;
  facts.program = fmt::format("{}", fmt::join(request.program.arguments, " "));
  facts.sampler = Name(request.sampler);
  facts.machine = request.processor ? request.processor->name : request.machine;
  facts.children = request.children;
  facts.automatic = pace.IsAutomatic();
  head.facts = ToFacts(facts);
  return head;
}

Result<void> CheckSelection(const TraceRequest& request, const format::SeriesHead& head,
                            std::span<const std::string> known) {
  if (IsInstrumented(request.program.path)) return {};
  if (!head.channels.empty() || !head.absent.empty()) {
    return request.check_head ? request.check_head(head) : Result<void>();
  }
  const std::vector<std::string_view> names(known.begin(), known.end());
  const auto unmatched = request.selection.Unmatched({});
  const std::string unknown = unmatched.empty() ? "" : unmatched.front();
  return Fail(ErrorKind::kUsage, fmt::format("--metric {}: no such metric{}; the program was not "
                                             "built by tare-cc, so it has no software metrics",
                                             Printable(unknown), DidYouMean(unknown, names)));
}

void AddEnding(const run::Ended& ended, EndFacts& facts) {
  if (ended.signal != 0) {
    facts.signal = ended.signal;
  } else {
    facts.exit_status = ended.exit_status;
  }
  facts.timed_out = ended.how == run::Ended::How::kTimedOut;
  facts.interrupted = ended.interrupted;
}

void AddSoftware(SoftwareSource& software, const TraceRequest& request,
                 std::vector<std::string> names, EndFacts& facts) {
  facts.absent = software.Absent();
  facts.histograms = software.Histograms();
  const CounterLosses losses = software.Losses();
  facts.lost_threads = losses.threads;
  facts.lost_children = losses.children;
  facts.lost_function_calls = losses.function_calls;
  if (!software.HasCounters() && !request.selection.IsNarrow()) {
    facts.absent.push_back({"software metrics", "software",
                            IsInstrumented(request.program.path)
                                ? "the program ended before its counters were ready"
                                : "the program was not built by tare-cc or tare-c++"});
  }
  for (const format::Channel& channel : software.Channels()) names.push_back(channel.name);
  for (const auto& [name, histogram] : facts.histograms) names.push_back(name);
  for (const std::string& glob : request.selection.Unmatched(names)) {
    facts.absent.push_back({glob, "software", "no metric matches this name"});
  }
}

bool IsRegularFile(const std::filesystem::path& file) {
  std::error_code error;
  return std::filesystem::is_regular_file(file, error);
}

Result<void> ThinOut(const std::filesystem::path& file, const Pace& pace) {
  if (!pace.Thins() || !IsRegularFile(file)) return {};
  return format::ThinSeries(file, pace.IntervalNs(),
                            [&pace](std::uint64_t record) { return pace.Keeps(record); });
}

void MakeRepeatable(const std::filesystem::path& file, const Pace& pace) {
  if (pace.Thins() || !IsRegularFile(file)) return;
  // If this fails, the file is as it was.
  std::ignore = format::ThinSeries(file, pace.IntervalNs(), [](std::uint64_t) { return true; });
}

void RemoveSeries(const std::filesystem::path& file) {
  std::error_code ignored;
  if (IsRegularFile(file)) std::filesystem::remove(file, ignored);
}

}  // namespace tare::sample
