// known_effect.cc: the table of workloads and what each must cause.
#include "analysis/self_test/known_effect.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

namespace tare::self_test {
namespace {

using model::CacheLevel;
using model::Processor;
using model::Replacement;
using model::TlbLevel;

constexpr std::uint64_t kIterations = 10'000;
constexpr std::uint64_t kSystemCalls = 2'000;
constexpr std::uint64_t kRounds = 200;
constexpr std::uint64_t kPages = 500;
// Jumps of AArch64 reach 128 MiB.
constexpr std::uint64_t kMaxCodeBytes = 100 << 20;
// What interrupts and the other accesses of the program may add to a hardware count.
constexpr std::uint64_t kHardwareSlack = 2'000;

Known Exactly(Kind kind, std::string_view event, std::uint64_t count) {
  return {kind, std::string(event), count, count};
}

Known Never(std::string_view event) { return {Kind::kModel, std::string(event), 0, 2}; }

Known About(std::string_view event, std::uint64_t low, std::uint64_t high) {
  return {Kind::kModel, std::string(event), low, high};
}

Known OnHardware(std::string_view event, std::uint64_t count) {
  return {Kind::kHardware, std::string(event), count, count + count / 100 + kHardwareSlack};
}

// `count` misses, or nearly so where lines are replaced at random or a prefetcher may guess right.
// `more`: misses that may be added.
Known Misses(const Processor& processor, Replacement replacement, std::string_view event,
             std::uint64_t count, std::uint64_t more = 0) {
  const bool guesses = processor.prefetching.stride_entries > 0;
  const std::uint64_t low = replacement == Replacement::kRandom ? count / 2
                            : guesses                           ? count - count / 10
                                                                : count;
  return About(event, low, count + more);
}

class Effects {
 public:
  explicit Effects(const Processor& processor) : processor_(processor) {}

  std::vector<Effect> All() {
    AddSimple();
    AddBranches();
    AddCaches();
    AddTlbs();
    return std::move(effects_);
  }

 private:
  void AddSimple() {
    const std::uint64_t n = kIterations;
    Effect& loop = Add("loop", n, "a load, a store, a subtraction and a taken branch");
    loop.known = {
        Exactly(Kind::kInstructions, "instructions", 4 * n),
        Exactly(Kind::kInstructions, "loads", n),
        Exactly(Kind::kInstructions, "stores", n),
        Exactly(Kind::kInstructions, "conditional_branches", n),
        Exactly(Kind::kInstructions, "taken_branches", n),
        OnHardware("instructions", 4 * n),
        OnHardware("branches", n),
        OnHardware("loads", n),
        OnHardware("stores", n),
        Never("l1d-misses"),
        Never("l1i-misses"),
        Never("dtlb-misses"),
        Never("itlb-misses"),
        Never("mispredictions"),
    };
    Effect& calls = Add("calls", n, "a call and its return");
    calls.known = {
        Exactly(Kind::kInstructions, "instructions", 4 * n),
        Exactly(Kind::kInstructions, "calls", n),
        Exactly(Kind::kInstructions, "returns", n),
        Never("return-mispredictions"),
    };
    Effect& system = Add("system-calls", kSystemCalls, "a system call");
    system.known = {Exactly(Kind::kInstructions, "system_calls", kSystemCalls)};
    Effect& pages = Add("pages", kPages, "the first access to a page");
    pages.known = {{Kind::kKernel, "page-faults", kPages, kPages + kPages / 50},
                   {Kind::kKernel, "minor-faults", kPages, kPages + kPages / 50}};
  }

  void AddBranches() {
    const std::uint64_t n = kIterations;
    Effect& random = Add("random", n, "a branch on a random bit");
    random.known = {{Kind::kHardware, "branch-misses", 2 * n / 5, 3 * n / 5 + kHardwareSlack}};
    if (processor_.branching.direction != model::Direction::kNone)
      random.known.push_back(About("conditional-mispredictions", 2 * n / 5, 3 * n / 5));
    if (processor_.branching.target_entries > 0) {
      Add("targets", n, "an indirect jump to one of four places at random").known = {
          About("indirect-mispredictions", 3 * n / 5, 9 * n / 10)};
    }
    if (processor_.branching.return_entries > 0) {
      Add("returns", n, "a return to another place than behind the call").known = {
          Exactly(Kind::kModel, "return-mispredictions", n)};
    }
  }

  void AddCaches() {
    unsigned ways = 0;
    AddCache(processor_.l1d, {"l1d-misses", "l1d-load-misses"},
             {"l1d-write-backs", "l1d-store-misses"}, ways);
    if (processor_.l2)
      AddCache(*processor_.l2, {"l2-data-misses", "l2-misses"}, {"l2-write-backs"}, ways);
    if (processor_.l3)
      AddCache(*processor_.l3, {"l3-data-misses", "l3-misses"}, {"l3-write-backs"}, ways);
    ways = 0;
    AddCode(processor_.l1i, "l1i-misses", ways);
    if (processor_.l2) AddCode(*processor_.l2, "l2-instruction-misses", ways);
    if (processor_.l3) AddCode(*processor_.l3, "l3-instruction-misses", ways);
  }

  // `ways` are those of the nearer levels, to which those of this level are added.
  void AddCache(const CacheLevel& level, std::initializer_list<std::string_view> of_loads,
                std::initializer_list<std::string_view> of_stores, unsigned& ways) {
    ways += level.ways;
    const std::uint64_t slots = 2 * ways;
    const std::uint64_t stride = level.bytes / level.ways;
    Effect& loads = Add("chase", kRounds,
                        "a load from each of more lines of a set than it has ways", slots, stride);
    for (const std::string_view event : of_loads)
      loads.known.push_back(Misses(processor_, level.replacement, event, kRounds * slots));
    const bool nearer_write_back = processor_.l1d.write == model::WritePolicy::kBack;
    if (level.write != model::WritePolicy::kBack || !nearer_write_back) return;
    Effect& stores = Add("dirty", kRounds,
                         "a store to each of more lines of a set than it has ways", slots, stride);
    for (const std::string_view event : of_stores)
      stores.known.push_back(Misses(processor_, level.replacement, event, kRounds * slots));
  }

  // The loop that calls the code is in the same set, or is not.
  void AddCode(const CacheLevel& level, std::string_view misses, unsigned& ways) {
    ways += level.ways;
    const std::uint64_t slots = 2 * ways;
    const std::uint64_t stride = level.bytes / level.ways;
    if (slots * stride > kMaxCodeBytes) return;
    Add("code", kRounds, "a jump to each of more lines of a set than it has ways", slots, stride)
        .known = {Misses(processor_, level.replacement, misses, kRounds * slots, kRounds)};
  }

  void AddTlbs() {
    const model::TlbSet& tlbs = TlbsOf(processor_);
    AddTlb("chase", "a load from each of more pages of a set than it has ways", tlbs.data,
           "dtlb-misses", tlbs.second, "data-walks");
    AddTlb("code", "a jump to each of more pages of a set than it has ways", tlbs.instruction,
           "itlb-misses", tlbs.second, "instruction-walks");
  }

  void AddTlb(std::string_view workload, std::string_view does,
              const std::optional<TlbLevel>& first, std::string_view misses,
              const std::optional<TlbLevel>& second, std::string_view walks) {
    if (!first) return;
    AddPages(workload, does, *first, first->ways, misses);
    if (second) AddPages(workload, does, *second, first->ways + second->ways, walks);
  }

  void AddPages(std::string_view workload, std::string_view does, const TlbLevel& level,
                unsigned ways, std::string_view event) {
    const std::uint64_t slots = 2 * ways;
    const std::uint64_t stride = processor_.page_bytes * (level.entries / level.ways);
    if (workload == "code" && slots * stride > kMaxCodeBytes) return;
    Add(workload, kRounds, does, slots, stride).known = {Misses(
        processor_, level.replacement, event, kRounds * slots, workload == "code" ? kRounds : 0)};
  }

  Effect& Add(std::string_view workload, std::uint64_t count, std::string_view does) {
    effects_.push_back({std::string(workload), count, {}, std::string(does), {}});
    return effects_.back();
  }

  Effect& Add(std::string_view workload, std::uint64_t count, std::string_view does,
              std::uint64_t slots, std::uint64_t stride) {
    Effect& effect = Add(workload, count, does);
    effect.places = {fmt::to_string(slots), fmt::to_string(stride)};
    return effect;
  }

  const Processor& processor_;
  std::vector<Effect> effects_;
};

// Real caches of the second and third level choose sets by physical addresses and hashes, so that
// misses need more lines than fit into the cache.
constexpr std::uint64_t kSetsOverCache = 4;
constexpr std::uint64_t kMaxWorkingSet = std::uint64_t{1} << 30;
constexpr std::uint64_t kPageBytes = 4096;
// More than second-level TLBs hold.
constexpr std::uint64_t kManyPages = 16'384;
constexpr std::uint64_t kSmallPages = 4'096;
constexpr std::uint64_t kWalkRounds = 20;
// A line further in each page, so that the pages do not share cache sets.
constexpr std::uint64_t kPageStride = kPageBytes + 64;

class HardwareEffects {
 public:
  explicit HardwareEffects(const host::Topology& topology) : topology_(topology) {}

  std::vector<Effect> All() {
    const std::uint64_t n = kIterations;
    Add("loop", n, {}, "a load, a store, a subtraction and a taken branch",
        {Counts("conditional-branches", n, n + n / 100 + kHardwareSlack),
         Counts("l1d-accesses", 2 * n, 3 * n + kHardwareSlack),
         Counts("l1d-misses", 0, kHardwareSlack)});
    // Separately, because some processors have four counters.
    Add("loop", n, {}, "a load, a store, a subtraction and a taken branch",
        {Counts("l1i-misses", 0, kHardwareSlack), Counts("dtlb-misses", 0, kHardwareSlack),
         Counts("itlb-misses", 0, kHardwareSlack)});
    Add("random", n, {}, "a branch on a random bit",
        {Counts("conditional-mispredictions", 2 * n / 5, 3 * n / 5 + kHardwareSlack)});
    AddFirstLevel();
    AddOuter(2, {"l2-data-misses"});
    AddOuter(3, {"l3-misses"});
    Add("chase", kWalkRounds, {fmt::to_string(kManyPages), fmt::to_string(kPageStride)},
        "a load from each of more pages than the TLBs hold",
        {About("dtlb-misses", kWalkRounds * kManyPages)});
    Add("code", kWalkRounds, {fmt::to_string(kSmallPages), fmt::to_string(kPageStride)},
        "a jump to each of more pages than the TLBs hold",
        {About("itlb-misses", kWalkRounds * kSmallPages)});
    return std::move(effects_);
  }

 private:
  static Known Counts(std::string_view event, std::uint64_t low, std::uint64_t high) {
    return {Kind::kHardware, std::string(event), low, high};
  }

  // Half of it where the hardware guesses right, twice as much where it tries again.
  static Known About(std::string_view event, std::uint64_t count) {
    return Counts(event, count / 2, 2 * count + kHardwareSlack);
  }

  const host::Cache* CacheOf(unsigned level, host::CacheKind kind) const {
    const host::Cache* found = nullptr;
    for (const host::Cache& cache : topology_.caches) {
      const bool suits = cache.kind == kind || cache.kind == host::CacheKind::kUnified;
      if (cache.level != level || !suits || cache.bytes == 0) continue;
      // Of cores of several kinds, the largest.
      if (found == nullptr || cache.bytes > found->bytes) found = &cache;
    }
    return found;
  }

  // Virtual addresses choose the set.
  void AddFirstLevel() {
    const auto add = [&](host::CacheKind kind, const char* workload, const char* does,
                         const char* event) {
      const host::Cache* cache = CacheOf(1, kind);
      if (cache == nullptr || cache->ways <= 0) return;
      const auto ways = static_cast<std::uint64_t>(cache->ways);
      const std::uint64_t slots = 4 * ways;
      Add(workload, kRounds, {fmt::to_string(slots), fmt::to_string(cache->bytes / ways)}, does,
          {About(event, kRounds * slots)});
    };
    add(host::CacheKind::kData, "chase", "a load from each of more lines of a set than it has ways",
        "l1d-misses");
    add(host::CacheKind::kInstruction, "code",
        "a jump to each of more lines of a set than it has ways", "l1i-misses");
  }

  void AddOuter(unsigned level, const std::vector<std::string_view>& events) {
    const host::Cache* cache = CacheOf(level, host::CacheKind::kData);
    if (cache == nullptr || kSetsOverCache * cache->bytes > kMaxWorkingSet) return;
    const std::uint64_t line = cache->line_bytes == 0 ? 64 : cache->line_bytes;
    const std::uint64_t slots = kSetsOverCache * cache->bytes / line;
    std::vector<Known> known;
    constexpr std::uint64_t kFewRounds = 2;
    for (const std::string_view event : events) known.push_back(About(event, kFewRounds * slots));
    Add("chase", kFewRounds, {fmt::to_string(slots), fmt::to_string(line)},
        "a load from each line of more memory than the cache holds", std::move(known));
  }

  void Add(std::string_view workload, std::uint64_t count, std::vector<std::string> places,
           std::string_view does, std::vector<Known> known) {
    effects_.push_back(
        {std::string(workload), count, std::move(places), std::string(does), std::move(known)});
  }

  const host::Topology& topology_;
  std::vector<Effect> effects_;
};

}  // namespace

std::vector<Effect> EffectsOnHardware(const host::Topology& topology) {
  return HardwareEffects(topology).All();
}

std::vector<Effect> EffectsOn(const Processor& processor) { return Effects(processor).All(); }

}  // namespace tare::self_test
