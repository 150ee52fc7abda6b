// machine_rates.cc: costs of a machine from its profile, with the ends of their intervals.
#include "predict/convolve/machine_rates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <set>
#include <span>

#include "base/printable.h"
#include "machine/profile/hit_rates.h"
#include "machine/profile/memory_model.h"
#include "predict/convolve/default_costs.h"
#include "predict/convolve/distance_costs.h"
#include "predict/convolve/far_walk.h"
#include "predict/convolve/loop_work.h"
#include "predict/convolve/stream_costs.h"

namespace tare::convolve {
namespace {

using machine_profile::Access;
using machine_profile::CurveKey;
using machine_profile::Level;
using machine_profile::Pattern;
using machine_profile::Profile;
using signature::Work;

constexpr std::string_view kOperations = "operations";
constexpr std::string_view kTlbs = "TLBs";
constexpr std::string_view kOverlapGroup = "overlap";

enum class End { kFast, kSlow };

// Random loads in memory make a walk each: as many proceed at once as their rate shows.
void OverlapWalks(Costs& costs) {
  const double random = costs.levels.back().random;
  const double all = std::accumulate(costs.tlb_misses.begin(), costs.tlb_misses.end(), 0.0);
  const double at_once = random > 0 ? std::max(1.0, all / random) : 1;
  costs.tlb_overlapped.clear();
  for (const double miss : costs.tlb_misses) costs.tlb_overlapped.push_back(miss / at_once);
}

// The level that serves lines of a working set of so many bytes.
std::size_t LevelOf(const Profile& profile, std::uint64_t bytes) {
  std::size_t level = 0;
  while (level + 1 < profile.levels.size() && profile.levels[level].bytes < bytes) ++level;
  return level;
}

// The caches after the first become steps of distance.
void UseSteps(const Profile& profile, std::span<const std::uint64_t> steps, MachineRates& rates) {
  rates.by_distance = true;
  const signature::CacheShape first = rates.hierarchy.caches.front();
  rates.hierarchy.caches = {first};
  rates.level_names = {profile.levels.front().name};
  std::uint64_t nearer = first.bytes;
  for (const std::uint64_t step : steps) {
    rates.hierarchy.caches.push_back({step, 0, first.line_bytes});
    // By the middle of the step: its end may be just beyond a level.
    const auto middle = std::sqrt(static_cast<double>(nearer) * static_cast<double>(step));
    rates.level_names.push_back(
        profile.levels[LevelOf(profile, static_cast<std::uint64_t>(middle))].name);
    nearer = step;
  }
  rates.level_names.push_back(profile.levels.back().name);
}

// Builds the costs of a profile; the rates of one group can be at an end of their intervals.
class CostBuilder {
 public:
  // `steps`: ends of the steps of distance; empty for costs by level. `names`: the levels of the
  // costs.
  CostBuilder(const Profile& profile, const signature::Hierarchy& hierarchy,
              std::span<const std::uint64_t> steps, std::span<const std::string> names,
              double clock)
      : profile_(profile), hierarchy_(hierarchy), steps_(steps), names_(names), cycle_(1 / clock) {}

  Costs Make(std::string_view group = {}, End end = End::kSlow) {
    group_ = group;
    end_ = end;
    derived_.clear();
    Costs costs;
    costs.core = Core();
    if (steps_.empty()) {
      for (std::size_t i = 0; i < profile_.levels.size(); ++i) costs.levels.push_back(LevelAt(i));
    } else {
      costs.levels = CostsByDistance(profile_, steps_, LineAt(0), [&](const auto& point) {
        return OfRate(profile_.levels[LevelOf(profile_, point.bytes)].name, point.rate);
      });
      costs.levels.insert(costs.levels.begin(), LevelCosts{});
    }
    for (std::size_t i = 1; i < costs.levels.size(); ++i) {
      SetStreams(profile_, names_[i], costs.levels[i]);
      costs.levels[i].exposed = Exposed(names_[i], costs.core.each[IndexOf(Work::kLoad)]);
      // That of random lines also has the lines that additions leave no room for in the window.
      costs.levels[i].overlap = Overlap(fmt::format(" {} stream", names_[i]));
    }
    AddTlbs(costs);
    return costs;
  }

  const std::set<std::string>& derived() const { return derived_; }

 private:
  // Seconds of one, from a rate per second.
  double OfRate(std::string_view group, const Measured& rate) const {
    if (group != group_) return 1 / rate.Value();
    const double end = end_ == End::kFast ? rate.High() : rate.Low();
    return 1 / (end > 0 && std::isfinite(end) ? end : rate.Value());
  }

  double OfTime(std::string_view group, const Measured& time) const {
    if (group != group_) return time.Value();
    const double end = end_ == End::kFast ? time.Low() : time.High();
    return std::isfinite(end) ? std::max(end, 0.0) : time.Value();
  }

  // A cost that the profile lacks.
  double Derived(std::string_view what, double seconds) {
    derived_.emplace(what);
    if (group_ != kOperations) return seconds;
    return end_ == End::kFast ? seconds / (1 + kDerivedSpread) : seconds * (1 + kDerivedSpread);
  }

  // `per` operations of the named rate are one instruction.
  double Each(std::string_view name, double per, double cycles) {
    const machine_profile::Rate* rate = profile_.FindRate(name);
    if (rate != nullptr) return OfRate(kOperations, rate->figure) * per;
    return Derived(name, cycles * cycle_);
  }

  // The same for an operation that no survey measures, or that the processor may not have.
  double EachUnless(std::string_view name, double per, double otherwise) const {
    const machine_profile::Rate* rate = profile_.FindRate(name);
    return rate != nullptr ? OfRate(kOperations, rate->figure) * per : otherwise;
  }

  double After(std::string_view name, double cycles) {
    const machine_profile::Rate* rate = profile_.FindRate(name);
    if (rate != nullptr) return OfTime(kOperations, rate->figure);
    return Derived(name, cycles * cycle_);
  }

  // Rates of accesses that hit the first cache: of words where they were measured.
  double EachAccess(Access access, const std::optional<Measured>& bandwidth, double cycles) {
    const unsigned widest = machine_profile::WidestElement(profile_);
    for (const unsigned element : {8U, widest}) {
      const auto* curve = profile_.FindCurve({access, Pattern::kStrided, 1, element});
      if (curve == nullptr) continue;
      const Measured* best = nullptr;
      for (const machine_profile::CurvePoint& point : curve->points) {
        if (point.bytes > profile_.levels.front().bytes) break;
        if (best == nullptr || point.rate.Value() > best->Value()) best = &point.rate;
      }
      if (best != nullptr) return OfRate(kOperations, *best);
    }
    if (bandwidth) return OfRate(kOperations, *bandwidth) * widest;
    return Derived(access == Access::kLoad ? "loads per second" : "stores per second",
                   cycles * cycle_);
  }

  // Doubles in a vector of the rates of vector operations (docs/methods/microbenchmarks.md).
  double Lanes() const {
    if (profile_.architecture == "aarch64") return 2;
    return std::max(1.0, machine_profile::WidestElement(profile_) / 8.0);
  }

  CoreCosts Core() {
    CoreCosts core;
    const Level& first = profile_.levels.front();
    const auto set = [&](Work work, double each, double after) {
      core.each[IndexOf(work)] = each;
      core.after[IndexOf(work)] = after;
    };
    core.issue = Each(kMixedRate, 1, default_cycles::kIssue);
    set(Work::kInteger, Each("integer add", 1, default_cycles::kInteger),
        After("integer add latency", 1));
    set(Work::kIntegerMultiply, Each("integer multiply", 1, default_cycles::kMultiply),
        After("integer multiply latency", default_cycles::kMultiplyAfter));
    const double divide = After("integer divide latency", default_cycles::kDivideAfter);
    set(Work::kIntegerDivide, EachUnless("integer divide", 1, divide / 2), divide);
    set(Work::kVectorInteger, Each("integer add vector", Lanes(), default_cycles::kVector),
        After("integer add vector latency", default_cycles::kVectorAfter));
    set(Work::kFloatAdd, Each("fp64 add", 1, default_cycles::kFloat),
        After("fp64 add latency", default_cycles::kFloatAfter));
    set(Work::kFloatMultiply, Each("fp64 multiply", 1, default_cycles::kFloat),
        After("fp64 multiply latency", default_cycles::kFloatAfter));
    const bool fuses = profile_.FindRate("fp64 fused") != nullptr;
    const auto product = [&](const CoreCosts& costs) {
      return std::pair(costs.each[IndexOf(Work::kFloatMultiply)],
                       costs.after[IndexOf(Work::kFloatMultiply)]);
    };
    set(Work::kFloatFused, EachUnless("fp64 fused", 2, product(core).first),
        fuses ? FusedAfter() : product(core).second);
    // Expressions of a few operations, as in most code, are slower than independent operations on
    // some cores.
    const double sums = EachUnless(kShortSumsRate, 1, 0) / core.each[IndexOf(Work::kFloatAdd)];
    core.float_vector = EachUnless("fp64 add vector", Lanes(), core.each[IndexOf(Work::kFloatAdd)]);
    for (double* each :
         {&core.each[IndexOf(Work::kFloatAdd)], &core.each[IndexOf(Work::kFloatMultiply)],
          &core.each[IndexOf(Work::kFloatFused)], &core.float_vector})
      *each *= std::max(1.0, sums);
    const double quotient = After("fp64 divide latency", default_cycles::kFloatDivideAfter);
    set(Work::kFloatDivide, EachUnless("fp64 divide", 1, quotient / 3), quotient);
    const double hit =
        first.latency ? OfTime(kOperations, *first.latency)
                      : Derived("latency of the first cache", default_cycles::kLoadAfter * cycle_);
    set(Work::kLoad, EachAccess(Access::kLoad, first.load, default_cycles::kLoad), hit);
    set(Work::kStore, EachAccess(Access::kStore, first.store, default_cycles::kStore),
        After(kForwardingRate, default_cycles::kStoreAfter));
    set(Work::kBranch, default_cycles::kBranch * cycle_, cycle_);
    set(Work::kOther, core.issue, cycle_);
    core.access = EachUnless(kAccessRate, 1, 0);
    core.misprediction = After("branch misprediction", default_cycles::kMisprediction);
    const machine_profile::Rate* window = profile_.FindRate(kWindowRate);
    core.window = window != nullptr ? window->figure.Value() : kDefaultWindow;
    core.overlap = Overlap();
    return core;
  }

  // Chains of fused operations are sums, which wait for the summand only. Some cores need it later
  // than the factors.
  double FusedAfter() {
    const machine_profile::Rate* sum = profile_.FindRate("fp64 accumulate vector latency");
    if (sum != nullptr) return OfTime(kOperations, sum->figure);
    return After("fp64 fused latency", default_cycles::kFloatAfter);
  }

  // Lines of a level, loaded word by word and by the widest element: the difference is the time of
  // the loads that the lines do not hide.
  double Exposed(std::string_view level, double load) {
    const unsigned widest = machine_profile::WidestElement(profile_);
    const auto* words = profile_.FindCurve({Access::kLoad, Pattern::kStrided, 1, 8});
    const auto* wide = profile_.FindCurve({Access::kLoad, Pattern::kStrided, 1, widest});
    if (widest <= 8 || words == nullptr || wide == nullptr) return kDefaultExposed;
    const auto at = static_cast<std::size_t>(
        std::ranges::find(profile_.levels, level, &Level::name) - profile_.levels.begin());
    const auto* word = PointIn(*words, at);
    const auto* vector = PointIn(*wide, at);
    if (word == nullptr || vector == nullptr) return kDefaultExposed;
    const double line = LineAt(0);
    const double by_word = line / 8 / word->rate.Value();
    const double by_vector = line / widest / vector->rate.Value();
    return std::clamp((by_word - by_vector) / (line / 8 * load), 0.0, 1.0);
  }

  // The point nearest to the middle of a level, or the largest one in memory.
  const machine_profile::CurvePoint* PointIn(const machine_profile::Curve& curve,
                                             std::size_t index) const {
    const auto& levels = profile_.levels;
    const bool memory = index + 1 == levels.size();
    const double nearer = static_cast<double>(levels[index - 1].bytes);
    const double middle = std::sqrt(nearer * static_cast<double>(levels[index].bytes));
    const machine_profile::CurvePoint* nearest = nullptr;
    for (const machine_profile::CurvePoint& point : curve.points) {
      const auto bytes = static_cast<double>(point.bytes);
      if (bytes <= nearer || (!memory && bytes > static_cast<double>(levels[index].bytes))) {
        continue;
      }
      if (nearest == nullptr || memory || bytes <= middle) nearest = &point;
    }
    return nearest;
  }

  // Of a level and pattern, or of all of them together if the profile has no figure for it.
  double Overlap(std::string_view of = {}) {
    const machine_profile::Rate* rate = profile_.FindRate(fmt::format("{}{}", kOverlapRate, of));
    if (rate == nullptr) rate = profile_.FindRate(kOverlapRate);
    Measured figure =
        rate != nullptr ? rate->figure : Between(kDefaultOverlap, kMinOverlap, 1, 0.95);
    if (rate == nullptr) derived_.emplace(kOverlapRate);
    if (group_ != kOverlapGroup) return std::clamp(figure.Value(), 0.0, 1.0);
    return std::clamp(end_ == End::kFast ? figure.High() : figure.Low(), 0.0, 1.0);
  }

  unsigned LineAt(std::size_t index) const {
    const unsigned line = profile_.levels[index].line_bytes;
    return line == 0 ? machine_profile::LineBytes(profile_.levels) : line;
  }

  // A figure of a level that the profile lacks.
  double DerivedOf(const Level& level, std::string_view what, double seconds) {
    derived_.insert(fmt::format("{} of {}", what, level.name));
    if (group_ != level.name) return seconds;
    return end_ == End::kFast ? seconds / kLevelSpread : seconds * kLevelSpread;
  }

  double Latency(std::size_t index) {
    const Level& level = profile_.levels[index];
    if (level.latency) return OfTime(level.name, *level.latency);
    if (index == 0) return default_cycles::kLoadAfter * cycle_;
    const bool memory = index + 1 == profile_.levels.size();
    return DerivedOf(level, "latency",
                     Latency(index - 1) * (memory ? kMemoryLatencies : kCacheLatencies));
  }

  // Seconds of a line in a stream of loads. In memory, as many lines are in flight as the core has
  // buffers for.
  double Stream(std::size_t index, double line) {
    const Level& level = profile_.levels[index];
    if (level.load) return OfRate(level.name, *level.load) * line;
    if (index == 0) return default_cycles::kLoad * cycle_ * line / 8;
    const bool memory = index + 1 == profile_.levels.size();
    return DerivedOf(
        level, "load bandwidth",
        memory ? Latency(index) / kDefaultParallel : Stream(index - 1, line) / kCacheBandwidths);
  }

  LevelCosts LevelAt(std::size_t index) {
    const Level& level = profile_.levels[index];
    const double line = LineAt(index == 0 ? 0 : index - 1);  // the size that the nearer cache fills
    LevelCosts costs;
    costs.stream = Stream(index, line);
    costs.latency = Latency(index);
    // A stored line is loaded and later written: what is not the load is the write.
    costs.write = level.store
                      ? std::max(OfRate(level.name, *level.store) * line - costs.stream, 0.0)
                      : costs.stream;
    costs.write_random = costs.write;
    if (level.parallel) {
      costs.random = costs.latency * OfRate(level.name, *level.parallel);
    } else {
      costs.random = costs.latency / kDefaultParallel;
      if (index > 0) derived_.insert(fmt::format("lines in flight from {}", level.name));
    }
    if (!(costs.random > costs.stream)) costs.random = costs.stream;
    costs.strided = Strided(index).value_or(costs.random);
    if (index == 0) costs = {};
    return costs;
  }

  // Seconds of a line in the middle of the level, with a stride of 512 bytes.
  std::optional<double> Strided(std::size_t index) const {
    const auto* curve = profile_.FindCurve({Access::kLoad, Pattern::kStrided, 64, 8});
    if (curve == nullptr || index == 0) return std::nullopt;
    const auto* point = PointIn(*curve, index);
    if (point == nullptr) return std::nullopt;
    return OfRate(profile_.levels[index].name, point->rate);
  }

  const machine_profile::Tlb* TlbOf(const signature::TlbShape& shape) const {
    const auto found = std::ranges::find_if(profile_.tlbs, [&](const machine_profile::Tlb& tlb) {
      return tlb.page_bytes == shape.page_bytes && tlb.entries == shape.entries;
    });
    return found == profile_.tlbs.end() ? nullptr : &*found;
  }

  // Programs use pages of one size, that of the first TLB: others cost nothing.
  void AddTlbs(Costs& costs) {
    const auto& tlbs = hierarchy_.tlbs;
    for (std::size_t i = 0; i < tlbs.size(); ++i) {
      const machine_profile::Tlb* tlb = TlbOf(tlbs[i]);
      if (tlb == nullptr || tlbs[i].page_bytes != tlbs.front().page_bytes) {
        costs.tlb_misses.push_back(0);
        continue;
      }
      if (tlb->miss) {
        costs.tlb_misses.push_back(OfTime(kTlbs, *tlb->miss));
        continue;
      }
      derived_.insert(fmt::format("cost of a miss in {}", tlb->name));
      const bool last = std::none_of(tlbs.begin() + static_cast<std::ptrdiff_t>(i) + 1, tlbs.end(),
                                     [&](const signature::TlbShape& shape) {
                                       return shape.page_bytes == tlbs.front().page_bytes;
                                     });
      costs.tlb_misses.push_back((last ? default_cycles::kWalk : default_cycles::kSecondTlb) *
                                 cycle_);
    }
    if (steps_.empty()) {
      OverlapWalks(costs);
    } else {
      OverlapWalks(hierarchy_, costs);
    }
  }

  const Profile& profile_;
  const signature::Hierarchy& hierarchy_;
  std::span<const std::uint64_t> steps_;
  std::span<const std::string> names_;
  double cycle_;
  std::string_view group_;
  End end_ = End::kSlow;
  std::set<std::string> derived_;
};

Result<double> ClockOf(const Profile& profile) {
  if (const machine_profile::Rate* clock = profile.FindRate("clock")) return clock->figure.Value();
  if (const machine_profile::Rate* add = profile.FindRate("integer add latency")) {
    return 1 / add->figure.Value();
  }
  return Fail(ErrorKind::kUsage,
              fmt::format("the profile {} has no clock, so that its arithmetic is unknown; add it "
                          "with tare machine edit {} --set rate.clock=2GHz",
                          Printable(profile.name), Printable(profile.name)));
}

void AddCaveatsOf(const Profile& profile, MachineRates& rates) {
  if (rates.origin == machine_profile::Origin::kProjected) {
    rates.caveats.push_back({CaveatId::kProjected, profile.derived_from});
  } else if (rates.origin != machine_profile::Origin::kMeasured) {
    rates.caveats.push_back({CaveatId::kPublished, profile.name});
  }
  const auto noisy = profile.conditions.find("noisy");
  if (noisy != profile.conditions.end()) {
    rates.caveats.push_back({CaveatId::kNoisyMachine, noisy->second});
  }
  if (!rates.derived.empty()) {
    rates.caveats.push_back({CaveatId::kDerivedRates,
                             fmt::format("{}: {}", profile.name, fmt::join(rates.derived, ", "))});
  }
}

}  // namespace

void AddFarWalk(const FarWalk& walk, MachineRates& rates) {
  rates.far_walk = walk;
  rates.hierarchy.tlbs.push_back({rates.hierarchy.tlbs.front().page_bytes, walk.pages});
  const auto add = [&walk](Costs& costs) {
    costs.tlb_misses.push_back(walk.seconds);
    OverlapWalks(costs);
  };
  add(rates.costs);
  for (RateSpread& spread : rates.spreads) {
    add(spread.fast);
    add(spread.slow);
  }
}

void OverlapWalks(const signature::Hierarchy& hierarchy, Costs& costs) {
  costs.tlb_overlapped.clear();
  for (std::size_t i = 0; i < costs.tlb_misses.size(); ++i) {
    const double beyond =
        2 * static_cast<double>(hierarchy.tlbs[i].entries * hierarchy.tlbs[i].page_bytes);
    std::size_t step = 1;
    while (step < hierarchy.caches.size() &&
           static_cast<double>(hierarchy.caches[step].bytes) < beyond) {
      ++step;
    }
    costs.tlb_overlapped.push_back(std::min(costs.tlb_misses[i], costs.levels[step].random));
  }
}

Result<MachineRates> RatesOf(const Profile& profile) {
  if (profile.levels.size() < 2) {
    return Fail(ErrorKind::kUsage,
                fmt::format("the profile {} has no cache", Printable(profile.name)));
  }
  TRY(const double clock, ClockOf(profile));
  MachineRates rates;
  rates.name = profile.name;
  rates.architecture = profile.architecture;
  rates.origin = profile.origin;
  rates.derived_from = profile.derived_from;
  rates.clock = clock;
  rates.hierarchy = signature::HierarchyOf(profile);
  TRY_VOID(signature::Validate(rates.hierarchy));
  rates.line_bytes = machine_profile::LineBytes(profile.levels);
  for (const Level& level : profile.levels) rates.level_names.push_back(level.name);
  std::vector<std::string> groups(rates.level_names.begin() + 1, rates.level_names.end());
  const std::vector<std::uint64_t> steps = DistanceSteps(profile);
  if (!steps.empty()) UseSteps(profile, steps, rates);
  CostBuilder builder(profile, rates.hierarchy, steps, rates.level_names, clock);
  rates.costs = builder.Make();
  rates.derived.assign(builder.derived().begin(), builder.derived().end());
  for (const std::string_view group : {kOperations, kTlbs, kOverlapGroup}) {
    groups.emplace_back(group);
  }
  for (const std::string& group : groups) {
    RateSpread spread{group, builder.Make(group, End::kFast), builder.Make(group, End::kSlow)};
    if (!(spread.fast == spread.slow)) rates.spreads.push_back(std::move(spread));
  }
  if (!rates.by_distance) {
    if (const auto walk = FarWalkOf(profile, rates.hierarchy)) AddFarWalk(*walk, rates);
  }
  AddCaveatsOf(profile, rates);
  return rates;
}

}  // namespace tare::convolve
