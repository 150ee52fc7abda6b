// openmp_regions.cc: follows the events of each thread, and joins threads by the region's number.
#include "measure/mpi/openmp_regions.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace tare::mpi {
namespace {

using format::OpenMpEvent;

// Regions, members and waits within each other; deeper ones are not followed.
constexpr std::size_t kMaxLevels = 256;

constexpr std::array<std::string_view, kWaitKinds> kWaitNames = {
    "barrier", "end of a loop or single", "end of a region", "taskwait", "taskgroup", "runtime"};

WaitKind KindOf(tare_openmp_wait wait) {
  switch (wait) {
    case TARE_OPENMP_EXPLICIT:
      return WaitKind::kExplicit;
    case TARE_OPENMP_IMPLICIT:
      return WaitKind::kImplicit;
    case TARE_OPENMP_TASKWAIT:
      return WaitKind::kTaskwait;
    case TARE_OPENMP_TASKGROUP:
      return WaitKind::kTaskgroup;
    default:
      return WaitKind::kOther;
  }
}

// What a region is known by before all threads are read.
struct KnownRegion {
  OpenMpRegion region;
  bool has_begun = false;
  bool has_ended = false;
};

struct Level {
  enum class Kind : std::uint8_t { kRegion, kMember, kWait } kind;
  std::uint64_t number = 0;  // of the region, or index of the member or wait
  std::uint64_t cpu_ns = 0;  // of the thread when the region began
  bool in_task = false;      // instead of waiting
  std::int64_t task_start_ns = 0;
};

// The members of all threads; their regions are numbers of the process at first.
class RegionFinder {
 public:
  void Follow(const std::vector<OpenMpEvent>& events) {
    levels_.clear();
    cpu_ns_ = 0;
    std::optional<std::uint32_t> released;  // the wait that the event before ended
    for (const OpenMpEvent& event : events) {
      Spend(event);
      const auto released_before = std::exchange(released, std::nullopt);
      switch (event.kind) {
        case TARE_OPENMP_FORK:
          Fork(event);
          break;
        case TARE_OPENMP_JOIN:
          Join(event);
          break;
        case TARE_OPENMP_BEGIN:
          Begin(event);
          break;
        case TARE_OPENMP_END:
          End(event, released_before);
          break;
        case TARE_OPENMP_ARRIVE:
          Arrive(event);
          break;
        case TARE_OPENMP_RELEASE:
          released = Release(event);
          break;
        case TARE_OPENMP_TASK:
          BeginTask(event.time_ns);
          break;
        default:
          EndTask(event.time_ns);
          break;
      }
    }
    // A thread still waits at the end of its last region when the file is sealed.
    while (!levels_.empty()) {
      const Level top = levels_.back();
      if (top.kind == Level::Kind::kWait && waits_[top.number].kind == WaitKind::kImplicit) {
        waits_[top.number].kind = WaitKind::kRegionEnd;
      }
      levels_.pop_back();
    }
  }

  OpenMpRegions Finish() {
    OpenMpRegions found;
    std::unordered_map<std::uint64_t, std::uint32_t> index_of;
    for (auto& [number, known] : known_) {
      if (known.has_begun && known.has_ended) found.regions.push_back(known.region);
    }
    std::ranges::stable_sort(found.regions, {}, &OpenMpRegion::start_ns);
    for (std::uint32_t i = 0; i < found.regions.size(); ++i) {
      index_of[found.regions[i].number] = i;
    }
    std::vector<std::optional<std::uint32_t>> kept(members_.size());
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const auto region = index_of.find(numbers_[i]);
      if (region == index_of.end()) continue;
      kept[i] = static_cast<std::uint32_t>(found.members.size());
      OpenMpMember member = std::move(members_[i]);
      member.region = region->second;
      member.end_ns = std::max(member.start_ns, found.regions[region->second].end_ns);
      if (member.outer) member.outer = kept[*member.outer];
      found.members.push_back(std::move(member));
    }
    for (OpenMpWait wait : waits_) {
      if (!kept[wait.member]) continue;
      wait.member = *kept[wait.member];
      // The runtime reports that a worker leaves the last barrier when it needs it again, or at
      // once.
      const OpenMpMember& member = found.members[wait.member];
      if (wait.kind == WaitKind::kRegionEnd) wait.end_ns = member.end_ns;
      wait.end_ns = std::clamp(wait.end_ns, std::min(wait.start_ns, member.end_ns), member.end_ns);
      wait.start_ns = std::min(wait.start_ns, wait.end_ns);
      for (std::optional<std::uint32_t> of = wait.member; of; of = found.members[*of].outer) {
        found.members[*of].waiting_ns += wait.WaitedNs();
      }
      found.waits.push_back(wait);
    }
    Balance(found);
    return found;
  }

 private:
  // The time up to the event is work of all regions that the thread is in, unless it waits.
  void Spend(const OpenMpEvent& event) {
    cpu_ns_ += event.cpu_ns;
    if (levels_.empty()) return;
    const Level& top = levels_.back();
    if (top.kind == Level::Kind::kWait && !top.in_task) return;
    for (const Level& level : levels_) {
      if (level.kind != Level::Kind::kMember) continue;
      members_[level.number].work_ns += event.cpu_ns;
      members_[level.number].phases_ns.back() += event.cpu_ns;
    }
  }

  std::optional<std::uint32_t> InnermostMember() const {
    for (std::size_t i = levels_.size(); i-- > 0;) {
      if (levels_[i].kind == Level::Kind::kMember) {
        return static_cast<std::uint32_t>(levels_[i].number);
      }
    }
    return std::nullopt;
  }

  bool IsDeep() const { return levels_.size() >= kMaxLevels; }

  void Fork(const OpenMpEvent& event) {
    if (IsDeep()) return;
    KnownRegion& known = known_[event.region];
    if (known.has_begun) return;  // a damaged trace: numbers are unique
    known.has_begun = true;
    known.region.number = event.region;
    known.region.thread = event.thread;
    known.region.place = event.place;
    known.region.start_ns = event.time_ns;
    known.region.is_nested = InnermostMember().has_value();
    levels_.push_back({.kind = Level::Kind::kRegion, .number = event.region, .cpu_ns = cpu_ns_});
  }

  // Removes levels up to that of the region; false if there is none.
  bool Leave(Level::Kind kind, std::uint64_t region, Level& left) {
    for (std::size_t i = levels_.size(); i-- > 0;) {
      const Level& level = levels_[i];
      if (level.kind != kind) continue;
      if ((kind == Level::Kind::kMember ? numbers_[level.number] : level.number) != region)
        continue;
      left = level;
      levels_.resize(i);
      return true;
    }
    return false;
  }

  void Join(const OpenMpEvent& event) {
    Level left{};
    if (!Leave(Level::Kind::kRegion, event.region, left)) return;
    KnownRegion& known = known_[event.region];
    known.has_ended = true;
    known.region.end_ns = std::max(event.time_ns, known.region.start_ns);
    known.region.master_cpu_ns = cpu_ns_ - left.cpu_ns;
  }

  void Begin(const OpenMpEvent& event) {
    if (IsDeep()) return;
    OpenMpMember member;
    member.thread = event.thread;
    member.index = event.index;
    member.outer = InnermostMember();
    member.start_ns = event.time_ns;
    member.phases_ns.push_back(0);
    KnownRegion& known = known_[event.region];
    known.region.threads = std::max(known.region.threads, event.threads);
    levels_.push_back({.kind = Level::Kind::kMember, .number = members_.size()});
    members_.push_back(std::move(member));
    numbers_.push_back(event.region);
  }

  void End(const OpenMpEvent& event, std::optional<std::uint32_t> released) {
    const auto member = InnermostMember();
    if (released && member && waits_[*released].member == *member &&
        waits_[*released].kind == WaitKind::kImplicit) {
      Close(*released);
    }
    Level left{};
    Leave(Level::Kind::kMember, event.region, left);
  }

  // The wait, which has ended, was the one at the end of the region: no phase follows it.
  void Close(std::uint32_t wait) {
    waits_[wait].kind = WaitKind::kRegionEnd;
    auto& phases = members_[waits_[wait].member].phases_ns;
    const std::uint64_t last = phases.back();
    phases.pop_back();
    phases.back() += last;
  }

  void Arrive(const OpenMpEvent& event) {
    const auto member = InnermostMember();
    if (!member || IsDeep()) return;
    OpenMpWait wait;
    wait.kind = KindOf(event.wait);
    wait.thread = event.thread;
    wait.member = *member;
    wait.start_ns = wait.end_ns = event.time_ns;
    levels_.push_back({.kind = Level::Kind::kWait, .number = waits_.size()});
    waits_.push_back(wait);
  }

  std::optional<std::uint32_t> Release(const OpenMpEvent& event) {
    if (levels_.empty() || levels_.back().kind != Level::Kind::kWait) return std::nullopt;
    EndTask(event.time_ns);
    const auto index = static_cast<std::uint32_t>(levels_.back().number);
    levels_.pop_back();
    OpenMpWait& wait = waits_[index];
    wait.end_ns = event.time_ns;
    if (IsBarrier(wait.kind)) members_[wait.member].phases_ns.push_back(0);
    return index;
  }

  void BeginTask(std::int64_t time) {
    if (levels_.empty() || levels_.back().kind != Level::Kind::kWait) return;
    levels_.back().in_task = true;
    levels_.back().task_start_ns = time;
  }

  void EndTask(std::int64_t time) {
    if (levels_.empty() || levels_.back().kind != Level::Kind::kWait) return;
    Level& top = levels_.back();
    if (top.in_task) {
      waits_[top.number].task_ns +=
          static_cast<std::uint64_t>(std::max<std::int64_t>(time - top.task_start_ns, 0));
    }
    top.in_task = false;
  }

  static void Balance(OpenMpRegions& found) {
    std::vector<std::vector<const OpenMpMember*>> teams(found.regions.size());
    for (const OpenMpMember& member : found.members) teams[member.region].push_back(&member);
    for (std::size_t r = 0; r < teams.size(); ++r) {
      OpenMpRegion& region = found.regions[r];
      const auto& team = teams[r];
      if (team.empty()) continue;
      std::size_t phases = 0;
      bool is_alike = true;
      double sum = 0;
      for (const OpenMpMember* member : team) {
        const std::size_t own = member->phases_ns.size();
        is_alike &= member == team.front() || own == phases;
        phases = std::max(phases, own);
        region.max_work_ns = std::max(region.max_work_ns, member->work_ns);
        sum += static_cast<double>(member->work_ns);
      }
      region.mean_work_ns = sum / static_cast<double>(team.size());
      region.threads = std::max(region.threads, static_cast<std::uint32_t>(team.size()));
      region.path_ns = is_alike ? 0 : region.max_work_ns;
      for (std::size_t phase = 0; is_alike && phase < phases; ++phase) {
        std::uint64_t slowest = 0;
        for (const OpenMpMember* member : team) {
          slowest = std::max(slowest, member->phases_ns[phase]);
        }
        region.path_ns += slowest;
      }
    }
  }

  std::map<std::uint64_t, KnownRegion> known_;
  std::vector<OpenMpMember> members_;
  std::vector<std::uint64_t> numbers_;  // of the regions of the members
  std::vector<OpenMpWait> waits_;
  std::vector<Level> levels_;  // of the thread that is followed
  std::uint64_t cpu_ns_ = 0;   // of this thread
};

}  // namespace

std::string_view Name(WaitKind kind) { return kWaitNames[static_cast<std::size_t>(kind)]; }

std::uint64_t OpenMpWait::WaitedNs() const {
  const auto wall = static_cast<std::uint64_t>(std::max<std::int64_t>(end_ns - start_ns, 0));
  return wall - std::min(wall, task_ns);
}

bool IsBarrier(WaitKind kind) {
  return kind == WaitKind::kExplicit || kind == WaitKind::kImplicit || kind == WaitKind::kRegionEnd;
}

OpenMpRegions FindOpenMpRegions(const format::OpenMpTrace& trace) {
  std::map<std::uint16_t, std::vector<OpenMpEvent>> threads;
  for (const OpenMpEvent& event : trace.events) threads[event.thread].push_back(event);
  RegionFinder finder;
  for (const auto& [thread, events] : threads) finder.Follow(events);
  return finder.Finish();
}

void PriceParallelBursts(format::MpiRank& rank) {
  if (rank.openmp.events.empty() || rank.events.empty()) return;
  const OpenMpRegions found = FindOpenMpRegions(rank.openmp);
  std::vector<std::int64_t> calls;
  for (const format::MpiEvent& event : rank.events) calls.push_back(event.start_ns);
  std::ranges::sort(calls);
  auto region = found.regions.begin();
  for (format::MpiEvent& event : rank.events) {
    if (event.thread != 0) continue;
    std::uint64_t own = 0;
    std::uint64_t path = 0;
    for (; region != found.regions.end() && region->start_ns < event.start_ns; ++region) {
      if (region->thread != 0 || region->is_nested) continue;
      const auto call = std::ranges::lower_bound(calls, region->start_ns);
      if (call != calls.end() && *call < region->end_ns) continue;
      own += region->master_cpu_ns;
      path += region->path_ns;
    }
    if (path > 0)
      event.burst_path_ns = event.burst_cpu_ns - std::min(event.burst_cpu_ns, own) + path;
  }
}

}  // namespace tare::mpi
