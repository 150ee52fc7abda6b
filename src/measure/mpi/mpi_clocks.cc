// mpi_clocks.cc: offsets of hosts from the fastest messages between them.
#include "measure/mpi/mpi_clocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "measure/mpi/mpi_matching.h"

namespace tare::mpi {
namespace {

using format::MpiRank;

std::int64_t StartOf(const MpiRank& rank) {
  return static_cast<std::int64_t>(rank.header.start_ns);
}

// The host's clock relative to the first host's: own time + offset = common time.
struct HostClock {
  std::int64_t offset_ns = 0;
  std::uint64_t uncertainty_ns = 0;
};

// Breadth-first from host 0. `fastest[a, b]` is the minimum of arrival on b minus sending on a,
// each on its host's clock: an upper bound of offset(a) - offset(b) + flight time.
std::vector<std::optional<HostClock>> FollowMessages(
    std::size_t hosts, const std::map<std::pair<std::size_t, std::size_t>, std::int64_t>& fastest) {
  std::vector<std::optional<HostClock>> clocks(hosts);
  clocks[0] = HostClock{};
  std::vector<std::size_t> open = {0};
  for (std::size_t next = 0; next < open.size(); ++next) {
    const std::size_t from = open[next];
    for (std::size_t to = 0; to < hosts; ++to) {
      const auto there = fastest.find({from, to});
      const auto back = fastest.find({to, from});
      if (clocks[to] || there == fastest.end() || back == fastest.end()) continue;
      // offset(to) - offset(from) is between -there and back.
      const std::int64_t offset = (back->second - there->second) / 2;
      const std::int64_t width = std::max<std::int64_t>(back->second + there->second, 0);
      clocks[to] = HostClock{clocks[from]->offset_ns + offset,
                             clocks[from]->uncertainty_ns + static_cast<std::uint64_t>(width) / 2};
      open.push_back(to);
    }
  }
  return clocks;
}

}  // namespace

void AlignMpiClocks(format::MpiTrace& trace, std::vector<Caveat>& caveats) {
  // Hosts by boot, in order of their first rank.
  std::map<std::string, std::size_t> hosts;
  std::vector<std::size_t> host_of(trace.ranks.size());
  std::vector<const MpiRank*> first;
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    const MpiRank& rank = trace.ranks[r];
    const bool is_missing = rank.header.start_ns == 0;
    const std::string name = rank.header.boot.empty() ? rank.header.host : rank.header.boot;
    if (is_missing) continue;
    const auto [found, is_new] = hosts.try_emplace(name, hosts.size());
    if (is_new) first.push_back(&rank);
    host_of[r] = found->second;
  }
  std::vector<HostClock> clocks(std::max<std::size_t>(hosts.size(), 1));
  if (hosts.size() > 1) {
    std::map<std::pair<std::size_t, std::size_t>, std::int64_t> fastest;
    for (const MatchedMessage& message : MatchMpiTrace(trace).messages) {
      const std::size_t from = host_of[message.source];
      const std::size_t to = host_of[message.destination];
      if (from == to) continue;
      const std::int64_t took = message.receive_end_ns + StartOf(trace.ranks[message.destination]) -
                                message.send_start_ns - StartOf(trace.ranks[message.source]);
      const auto [found, is_new] = fastest.try_emplace({from, to}, took);
      found->second = std::min(found->second, took);
    }
    const auto known = FollowMessages(hosts.size(), fastest);
    for (std::size_t h = 0; h < hosts.size(); ++h) {
      if (known[h]) {
        clocks[h] = *known[h];
        continue;
      }
      const auto date = [](const MpiRank& rank) {
        return static_cast<std::int64_t>(rank.header.start_utc_ns) - StartOf(rank);
      };
      clocks[h].offset_ns = date(*first[h]) - date(*first[0]);
      caveats.push_back(
          {CaveatId::kClocksNotAligned,
           fmt::format("rank {} and rank {}", first[0]->header.rank, first[h]->header.rank)});
    }
  }
  std::int64_t origin = std::numeric_limits<std::int64_t>::max();
  trace.clocks.assign(trace.ranks.size(), {});
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    const MpiRank& rank = trace.ranks[r];
    if (rank.header.start_ns == 0) continue;
    const HostClock& clock = clocks[host_of[r]];
    trace.clocks[r] = {StartOf(rank) + clock.offset_ns, clock.uncertainty_ns};
    origin = std::min(origin, trace.clocks[r].offset_ns);
  }
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    trace.clocks[r].offset_ns =
        trace.ranks[r].header.start_ns == 0 ? 0 : trace.clocks[r].offset_ns - origin;
  }
}

}  // namespace tare::mpi
