// mpi_summary.cc: sums over events.
#include "measure/mpi/mpi_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>

namespace tare::mpi {
namespace {

constexpr double kSecondsPerNs = 1e-9;

// When the process exited; if it was killed, its last event.
std::int64_t EndWithoutMpi(const format::MpiRank& rank) {
  std::int64_t end = rank.outcome.end_ns;
  for (const format::OpenMpEvent& event : rank.openmp.events) end = std::max(end, event.time_ns);
  return end;
}

}  // namespace

MpiSummary SummariseMpi(const format::MpiTrace& trace) {
  MpiSummary summary;
  std::map<format::MpiFunction, FunctionSummary> functions;
  std::map<unsigned, SizeBucket> sizes;
  std::int64_t last_ns = 0;
  for (std::uint32_t r = 0; r < trace.ranks.size(); ++r) {
    RankSummary rank{.rank = r};
    std::int64_t end_ns = 0;
    if (trace.ranks[r].header.is_without_mpi) end_ns = EndWithoutMpi(trace.ranks[r]);
    for (const format::MpiEvent& event : trace.ranks[r].events) {
      const double took = static_cast<double>(event.end_ns - event.start_ns) * kSecondsPerNs;
      const double burst = static_cast<double>(event.burst_cpu_ns) * kSecondsPerNs;
      const bool is_init = event.operation == TARE_MPI_INIT;
      end_ns = std::max(end_ns, event.end_ns);
      (is_init ? rank.before_seconds : rank.compute_seconds) += burst;
      if (is_init) rank.start_up_seconds += took;
      rank.mpi_seconds += took;
      const std::uint64_t calls = event.operation == TARE_MPI_POLL ? event.count : 1;
      rank.calls += calls;
      FunctionSummary& function = functions[event.function];
      function.function = event.function;
      function.calls += calls;
      function.seconds += took;
      if (event.operation != TARE_MPI_RECV) function.bytes += event.bytes;
      if (format::IsCollective(event.operation)) ++rank.collectives;
      const bool sends = event.operation == TARE_MPI_SEND || event.operation == TARE_MPI_SENDRECV;
      if (sends && event.peer >= 0) {
        ++rank.messages;
        rank.message_bytes += event.bytes;
        const auto bucket = static_cast<unsigned>(std::bit_width(event.bytes));
        SizeBucket& size = sizes[bucket];
        size.bucket = bucket;
        ++size.messages;
        size.bytes += event.bytes;
      }
    }
    rank.seconds = static_cast<double>(end_ns) * kSecondsPerNs;
    last_ns = std::max(last_ns, end_ns + trace.clocks[r].offset_ns);
    summary.ranks.push_back(rank);
  }
  summary.seconds = static_cast<double>(last_ns) * kSecondsPerNs;
  for (const auto& [key, function] : functions) summary.functions.push_back(function);
  std::ranges::stable_sort(summary.functions, std::ranges::greater(), &FunctionSummary::seconds);
  for (const auto& [key, size] : sizes) summary.sizes.push_back(size);
  return summary;
}

std::optional<Caveat> OffProcessor(double elapsed, double cpu) {
  constexpr double kMinShare = 0.1;
  constexpr double kMinSeconds = 1e-3;
  const double off = elapsed - cpu;
  if (off < kMinSeconds || off < kMinShare * elapsed) return std::nullopt;
  return Caveat{CaveatId::kOffProcessor,
                fmt::format("off it for {:.0f} % of the time", 100 * off / elapsed)};
}

}  // namespace tare::mpi
