// openmp_summary.cc: sums over parallel regions and waits.
#include "measure/mpi/openmp_summary.h"

#include <algorithm>
#include <map>
#include <utility>

namespace tare::mpi {
namespace {

double SecondsOf(std::uint64_t ns) { return static_cast<double>(ns) * 1e-9; }

double SecondsBetween(std::int64_t from, std::int64_t to) {
  return static_cast<double>(to - from) * 1e-9;
}

void AddRegion(const OpenMpRegion& region, bool with_time, OpenMpTotals& totals) {
  ++totals.regions;
  totals.threads = std::max(totals.threads, region.threads);
  if (!with_time) return;
  totals.seconds += SecondsBetween(region.start_ns, region.end_ns);
  totals.slowest_seconds += SecondsOf(region.max_work_ns);
  totals.balanced_seconds += region.mean_work_ns * 1e-9;
}

void AddMember(const OpenMpMember& member, OpenMpTotals& totals) {
  totals.thread_seconds += SecondsBetween(member.start_ns, member.end_ns);
  totals.work_seconds += SecondsOf(member.work_ns);
  totals.waiting_seconds += SecondsOf(member.waiting_ns);
}

void AddTotals(const OpenMpTotals& part, OpenMpTotals& to) {
  to.regions += part.regions;
  to.barriers += part.barriers;
  to.threads = std::max(to.threads, part.threads);
  to.seconds += part.seconds;
  to.thread_seconds += part.thread_seconds;
  to.work_seconds += part.work_seconds;
  to.waiting_seconds += part.waiting_seconds;
  to.slowest_seconds += part.slowest_seconds;
  to.balanced_seconds += part.balanced_seconds;
}

class OpenMpSums {
 public:
  void AddRank(std::uint32_t number, const format::MpiRank& rank) {
    RankOpenMp row{.rank = number, .runtime = rank.header.openmp, .totals = {}};
    const OpenMpRegions found = FindOpenMpRegions(rank.openmp);
    std::vector<PlaceOpenMp*> place_of;
    for (const OpenMpRegion& region : found.regions) {
      PlaceOpenMp& place = PlaceOf(rank, region.place);
      place_of.push_back(&place);
      AddRegion(region, !region.is_nested, row.totals);
      // A place of inner regions has their time, so that rows of places may overlap.
      AddRegion(region, true, place.totals);
    }
    for (const OpenMpMember& member : found.members) {
      AddMember(member, place_of[member.region]->totals);
      if (!member.outer) AddMember(member, row.totals);
    }
    for (const OpenMpWait& wait : found.waits) {
      const OpenMpMember& member = found.members[wait.member];
      if (IsBarrier(wait.kind) && member.index == 0) {
        ++row.totals.barriers;
        ++place_of[member.region]->totals.barriers;
      }
      WaitTotals& sum = waits_[wait.kind];
      sum.kind = wait.kind;
      ++sum.waits;
      sum.seconds += SecondsOf(wait.WaitedNs());
    }
    AddTotals(row.totals, summary_.all);
    summary_.ranks.push_back(row);
  }

  OpenMpSummary Finish() {
    for (auto& [key, place] : places_) summary_.places.push_back(std::move(place));
    std::ranges::stable_sort(summary_.places, std::ranges::greater(),
                             [](const PlaceOpenMp& place) { return place.totals.seconds; });
    for (const auto& [kind, sum] : waits_) summary_.waits.push_back(sum);
    return std::move(summary_);
  }

 private:
  PlaceOpenMp& PlaceOf(const format::MpiRank& rank, std::uint32_t number) {
    PlaceOpenMp made;
    if (number > 0) {
      made.is_known = true;
      made.place = rank.openmp.places[number - 1];
      if (made.place.path.empty()) {
        made.place.path = rank.header.program;
        made.build_id = rank.header.build_id;
      }
    }
    return places_.try_emplace({made.place.path, made.place.address}, made).first->second;
  }

  OpenMpSummary summary_;
  std::map<std::pair<std::string, std::uint64_t>, PlaceOpenMp> places_;
  std::map<WaitKind, WaitTotals> waits_;
};

}  // namespace

double OpenMpTotals::WaitingShare() const {
  return thread_seconds > 0 ? waiting_seconds / thread_seconds : 0;
}

double OpenMpTotals::Imbalance() const {
  return balanced_seconds > 0 ? slowest_seconds / balanced_seconds : 0;
}

OpenMpSummary SummariseOpenMp(const format::MpiTrace& trace) {
  OpenMpSums sums;
  for (std::uint32_t r = 0; r < trace.ranks.size(); ++r) sums.AddRank(r, trace.ranks[r]);
  return sums.Finish();
}

std::string OpenMpAbsence(tare_mpi_openmp runtime) {
  switch (runtime) {
    case TARE_MPI_OPENMP_LIBGOMP:
      return "built with GCC's libgomp, which has no OMPT";
    case TARE_MPI_OPENMP_DISABLED:
      return "OMP_TOOL=disabled switches OMPT off";
    default:
      return "";
  }
}

}  // namespace tare::mpi
