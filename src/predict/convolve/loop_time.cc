// loop_time.cc: lines by level and pattern, and the times that they and the work take.
#include "predict/convolve/loop_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "predict/convolve/default_costs.h"

namespace tare::convolve {
namespace {

using signature::Work;

double MissesOf(const Measured& misses, HitRates hit_rates) {
  switch (hit_rates) {
    case HitRates::kFewMisses:
      return std::max(0.0, misses.Low());
    case HitRates::kManyMisses:
      return misses.High();
    case HitRates::kExpected:
      break;
  }
  return misses.Value();
}

// The lines of `misses` misses by pattern. A stream misses once per line; regular strides are
// prefetched even where they follow pointers; the rest are chains as far as there are any.
ServedLines ByPattern(const LoopWork& work, double misses, double line_bytes) {
  ServedLines lines;
  double rest = misses;
  const auto take = [&rest](double at_most) {
    const double taken = std::min(rest, at_most);
    rest -= taken;
    return taken;
  };
  const double loads = work.loaded_stream_lines * kStrideLineBytes / line_bytes;
  const double stores = work.stored_stream_lines * kStrideLineBytes / line_bytes;
  lines.stream = take(loads + stores);
  // What loads do not explain, stores alone bring.
  lines.filled = std::clamp(lines.stream - loads, 0.0, stores);
  lines.stream -= lines.filled;
  lines.strided = take(work.strided_lines);
  lines.chained = take(work.chained_loads);
  lines.random = rest;
  return lines;
}

ServedLines Minus(const ServedLines& all, const ServedLines& beyond) {
  const auto part = [](double a, double b) { return std::max(0.0, a - b); };
  return {part(all.stream, beyond.stream),   part(all.filled, beyond.filled),
          part(all.strided, beyond.strided), part(all.random, beyond.random),
          part(all.chained, beyond.chained), part(all.written, beyond.written)};
}

double All(const ServedLines& lines) {
  return lines.stream + lines.filled + lines.strided + lines.random + lines.chained;
}

// Lines that are farther apart than the reach of a TLB. Their costs contain its misses.
double FartherThan(const signature::Hierarchy& hierarchy, std::size_t tlb,
                   std::span<const ServedLines> beyond) {
  const signature::TlbShape& shape = hierarchy.tlbs[tlb];
  const std::uint64_t reach = shape.entries * shape.page_bytes;
  std::size_t cache = 0;
  while (cache < hierarchy.caches.size() && hierarchy.caches[cache].bytes < reach) ++cache;
  return cache == hierarchy.caches.size() ? 0 : All(beyond[cache + 1]);
}

// The share of the lines beyond a cache that the program touches for the first time. The kernel has
// just filled their page with zeros, so that they come from the cache after the first one. Where no
// line of the loop was sampled, that of the whole program.
double FreshShare(const signature::FarReuse& far, const signature::FarReuse& program,
                  double cache_lines) {
  double again = 0;
  for (std::size_t bin = 0; bin < far.at_distance.size(); ++bin) {
    if (static_cast<double>(signature::DistanceBinStart(bin)) >= cache_lines) {
      again += far.at_distance[bin];
    }
  }
  if (far.cold + again > 0) return far.cold / (far.cold + again);
  return &far == &program ? 0 : FreshShare(program, program, cache_lines);
}

signature::FarReuse FarOf(std::span<const LoopWork> loops) {
  signature::FarReuse sum;
  for (const LoopWork& loop : loops) {
    const signature::FarReuse& far = loop.reuse.far;
    sum.at_distance.resize(std::max(sum.at_distance.size(), far.at_distance.size()));
    for (std::size_t bin = 0; bin < far.at_distance.size(); ++bin) {
      sum.at_distance[bin] += far.at_distance[bin];
    }
    sum.cold += far.cold;
  }
  return sum;
}

LoopUse UseOfLoop(const LoopWork& work, const signature::FarReuse& program, unsigned far_line,
                  const signature::HierarchyModel& model, const MachineRates& rates,
                  HitRates hit_rates) {
  const signature::LevelUse use = model.UseOf(work.reuse);
  LoopUse loop;
  loop.levels.resize(rates.costs.levels.size());
  std::vector<ServedLines> beyond(loop.levels.size() + 1);
  double nearer = static_cast<double>(work.reuse.References()) * 2;
  for (std::size_t cache = 0; cache + 1 < loop.levels.size(); ++cache) {
    nearer = std::min(nearer, MissesOf(use.misses[cache], hit_rates));
    const signature::CacheShape& shape = rates.hierarchy.caches[cache];
    const double lines = static_cast<double>(shape.bytes) / far_line;
    const double fresh = cache == 0 ? 0 : FreshShare(work.reuse.far, program, lines);
    beyond[cache + 1] = ByPattern(work, nearer * (1 - fresh), shape.line_bytes);
    beyond[cache + 1].written = use.write_backs[cache];
  }
  for (std::size_t level = 1; level < loop.levels.size(); ++level) {
    const bool memory = level + 1 == loop.levels.size();
    loop.levels[level] = memory ? beyond[level] : Minus(beyond[level], beyond[level + 1]);
  }
  const double lines = All(beyond[1]);
  loop.chained_share = lines > 0 ? beyond[1].chained / lines : 0;
  // A stream that stays in the first cache is loaded next to others, but brings no line.
  const double loads =
      work.loaded_stream_lines * kStrideLineBytes / rates.hierarchy.caches.front().line_bytes;
  if (loads > 0) loop.load_streams = work.load_streams * beyond[1].stream / loads;
  for (std::size_t i = 0; i < use.tlb_misses.size(); ++i) {
    double misses = MissesOf(use.tlb_misses[i], hit_rates);
    if (rates.by_distance) misses -= FartherThan(rates.hierarchy, i, beyond);
    loop.tlb_misses.push_back(std::max(misses, 0.0));
  }
  return loop;
}

// `count` times `cost`, also when the cost of nothing is unknown.
double Product(double count, double cost) { return count > 0 ? count * cost : 0; }

struct Candidate {
  Limit limit;
  double seconds;
  std::size_t level = 0;
};

void Throughput(const LoopWork& work, const CoreCosts& core, LoopTime& time, Candidate& busiest) {
  const auto each = [&](Work kind) { return work.work[IndexOf(kind)] * core.each[IndexOf(kind)]; };
  const double divisions = each(Work::kFloatDivide) + each(Work::kIntegerDivide);
  const double floats = work.work[IndexOf(Work::kFloatAdd)] +
                        work.work[IndexOf(Work::kFloatMultiply)] +
                        work.work[IndexOf(Work::kFloatFused)];
  const double scalar =
      each(Work::kFloatAdd) + each(Work::kFloatMultiply) + each(Work::kFloatFused);
  const double scalar_share = floats > 0 ? work.scalar_floats / floats : 0;
  // An instruction that loads and computes is two operations.
  const double operations =
      std::max(work.instructions, std::accumulate(work.work.begin(), work.work.end(), 0.0));
  const double both =
      (work.work[IndexOf(Work::kLoad)] + work.work[IndexOf(Work::kStore)]) * core.access;
  time.accesses = std::max({each(Work::kLoad), each(Work::kStore), both});
  const std::array candidates = {
      Candidate{Limit::kInstructions, operations * core.issue},
      Candidate{Limit::kLoads, each(Work::kLoad)},
      Candidate{Limit::kStores, each(Work::kStore)},
      Candidate{Limit::kAccesses, both},
      Candidate{Limit::kBranches, each(Work::kBranch)},
      Candidate{Limit::kIntegers, each(Work::kInteger) + each(Work::kIntegerMultiply)},
      Candidate{Limit::kFloats, scalar * scalar_share + work.vector_floats * core.float_vector +
                                    each(Work::kVectorInteger)},
      Candidate{Limit::kDivisions, divisions},
  };
  busiest = *std::ranges::max_element(candidates, {}, &Candidate::seconds);
  time.throughput = busiest.seconds;
}

// Loads per iteration that are several streams.
constexpr double kSeveral = 1.5;

// Seconds that a random line takes longer than next to others, because mispredicted branches wait
// for it. The core fills its window with instructions of the wrong path meanwhile, which is lost
// time. Beyond that, only the lines between two mispredictions are in flight together, unless the
// wrong path leads to what the right one needs, too.
double WaitSeconds(const LevelCosts& costs, const CoreCosts& core, double lines_per_misprediction) {
  const double hit = core.after[IndexOf(Work::kLoad)];
  const double lost = std::min(costs.latency - hit, core.window * core.issue);
  const double near = lost / std::max(1.0, lines_per_misprediction);
  const double far = costs.latency / (1 + lines_per_misprediction) - costs.random;
  return std::max({near, kWrongPathsApart * far, 0.0});
}

// In and out of order, and written back.
double StreamSeconds(double load_streams, const ServedLines& lines, const LevelCosts& level) {
  const double in_order = lines.stream + lines.strided;
  const double others = All(lines) - lines.filled;
  const double in_order_share = in_order > 0 ? in_order / others : 0;
  const double written = std::max(lines.written - lines.filled, 0.0);
  return Product(lines.stream, load_streams >= kSeveral ? level.streams : level.stream) +
         Product(lines.filled, level.filled) + Product(lines.strided, level.strided) +
         Product(written * in_order_share, level.write) +
         Product(written * (1 - in_order_share), level.write_random);
}

// The sum over levels of one limit, and the level that has most of it.
struct Candidates {
  Limit limit;
  double seconds = 0;
  std::size_t level = 0;
  double most = 0;

  void Add(double more, std::size_t at) {
    seconds += more;
    if (more > most) {
      most = more;
      level = at;
    }
  }
};

}  // namespace

double LoopTime::Arithmetic() const { return std::max(throughput, chain + latency); }

double LoopTime::Memory() const { return std::max(lines + accesses, walks); }

std::vector<LoopUse> UsesOf(const SignatureWork& work, const MachineRates& rates,
                            HitRates hit_rates) {
  std::vector<LoopUse> uses;
  uses.reserve(work.loops.size());
  const signature::HierarchyModel model(work.grid, rates.hierarchy, work.near_exact);
  const signature::FarReuse program = FarOf(work.loops);
  for (const LoopWork& loop : work.loops) {
    uses.push_back(UseOfLoop(loop, program, work.grid.far_line_bytes, model, rates, hit_rates));
  }
  return uses;
}

LoopTime TimeOf(const LoopWork& work, const LoopUse& use, const Costs& costs, Model model) {
  LoopTime time;
  Candidate limit{Limit::kInstructions, 0};
  Throughput(work, costs.core, time, limit);
  for (std::size_t kind = 0; kind < signature::kWorkKinds; ++kind) {
    time.chain += work.chain[kind] * costs.core.after[kind];
  }
  // Chains that start anew overlap with those before, as many as the core looks at together.
  if (work.chain_span > 0) time.chain /= std::max(1.0, costs.core.window / work.chain_span);
  const auto consider = [&limit](Limit kind, double seconds, std::size_t level = 0) {
    if (seconds > limit.seconds) limit = {kind, seconds, level};
  };
  consider(Limit::kChain, time.chain);
  double random_lines = 0;
  for (const ServedLines& lines : use.levels) random_lines += lines.random;
  const double between = work.mispredictions > 0 ? random_lines / work.mispredictions : 1e9;
  const double apart = random_lines > 0 ? work.instructions / random_lines : 0;
  const double first = costs.core.after[IndexOf(Work::kLoad)];
  Candidates streams{Limit::kStream};
  Candidates randoms{Limit::kRandom};
  Candidates chains{Limit::kLatency};
  double all = 0;
  double exposed = 0;
  double hidden = 0;
  for (std::size_t i = 1; i < use.levels.size(); ++i) {
    const ServedLines& lines = use.levels[i];
    const LevelCosts& level = costs.levels[i];
    const double in_order = StreamSeconds(use.load_streams, lines, level);
    // As many are in flight as the window has instructions for.
    const double in_window = level.latency * std::min(1.0, apart / costs.core.window);
    const double out_of_order = Product(lines.random, std::max(level.random, in_window));
    const double wait = Product(lines.random, WaitSeconds(level, costs.core, between));
    time.waits += wait;
    streams.Add(in_order, i);
    randoms.Add(out_of_order + wait, i);
    hidden += (in_order + out_of_order) * level.overlap;
    // The chain of dependences contains the time of a hit.
    chains.Add(Product(lines.chained, std::max(level.latency - first, 0.0)), i);
    all += All(lines);
    exposed += All(lines) * level.exposed;
  }
  time.accesses *= all > 0 ? exposed / all : 0;
  time.lines = streams.seconds + randoms.seconds - time.waits;
  time.latency = chains.seconds;
  for (const Candidates& candidates : {streams, randoms, chains}) {
    consider(candidates.limit, candidates.seconds, candidates.level);
  }
  for (std::size_t i = 0; i < use.tlb_misses.size() && i < costs.tlb_misses.size(); ++i) {
    const double chained = use.tlb_misses[i] * use.chained_share;
    time.walks += (use.tlb_misses[i] - chained) * costs.tlb_overlapped[i];
    time.latency += chained * costs.tlb_misses[i];
  }
  consider(Limit::kWalks, time.walks);
  time.mispredictions = work.mispredictions * costs.core.misprediction;
  consider(Limit::kMispredictions, time.mispredictions);
  const double overlap = time.lines > time.walks ? hidden / time.lines : costs.core.overlap;
  const double memory = time.Memory();
  const double arithmetic = time.Arithmetic();
  switch (model) {
    case Model::kOverlap:
      time.total = std::max(memory, arithmetic) + time.mispredictions + time.waits +
                   (1 - overlap) * std::min(std::max(time.lines, time.walks), arithmetic);
      break;
    case Model::kSum:
      time.total = std::max(time.throughput, time.chain) + time.lines + time.latency + time.walks +
                   time.mispredictions + time.waits;
      break;
    case Model::kMax:
      time.total = std::max({memory, arithmetic, time.mispredictions}) + time.waits;
      break;
  }
  // std::max ignores what is not a number.
  if (std::isnan(time.lines + time.latency)) time.total = time.lines + time.latency;
  time.limit = limit.limit;
  time.level = limit.level;
  return time;
}

std::string LimitText(const LoopTime& time, std::span<const std::string> level_names) {
  const auto level = [&] {
    return time.level < level_names.size() ? level_names[time.level] : std::string("?");
  };
  switch (time.limit) {
    case Limit::kInstructions:
      return "instructions";
    case Limit::kLoads:
      return "loads";
    case Limit::kStores:
      return "stores";
    case Limit::kAccesses:
      return "loads and stores";
    case Limit::kBranches:
      return "branches";
    case Limit::kIntegers:
      return "integer arithmetic";
    case Limit::kFloats:
      return "floating-point and vector arithmetic";
    case Limit::kDivisions:
      return "divisions";
    case Limit::kChain:
      return "dependences";
    case Limit::kStream:
      return fmt::format("bandwidth of {}", level());
    case Limit::kRandom:
      return fmt::format("random accesses to {}", level());
    case Limit::kLatency:
      return fmt::format("latency of {}", level());
    case Limit::kWalks:
      return "TLB misses";
    case Limit::kMispredictions:
      return "mispredicted branches";
  }
  return "";
}

}  // namespace tare::convolve
