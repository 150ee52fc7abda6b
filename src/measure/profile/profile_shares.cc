// profile_shares.cc: counts samples by part and turns counts into shares.
#include "measure/profile/profile_shares.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "base/printable.h"
#include "base/units.h"
#include "binary/elf/function.h"
#include "measure/profile/process_maps.h"
#include "stats/interval.h"

namespace tare::profile {
namespace {

using format::SampledProfile;

// Object, function, file, line or block: what a part is merged by. Runs that were added have their
// own tables, so that numbers do not identify anything.
using PartKey =
    std::tuple<std::string_view, std::string_view, std::uint64_t, std::string_view, std::uint64_t>;

PartKey KeyOf(const SampledProfile& profile, std::uint32_t location, Part part) {
  const auto& at = profile.locations[location];
  const auto& function = profile.functions[at.function];
  const std::string_view object = profile.objects[function.object].path;
  switch (part) {
    case Part::kFunction:
      return {object, function.name, function.start, {}, 0};
    case Part::kLine:
      return {object, function.name, function.start,
              at.file == format::kNoIndex ? std::string_view() : profile.files[at.file],
              at.file == format::kNoIndex ? 0 : at.line};
    case Part::kBlock:
      return {object, function.name, function.start, {}, at.block_instructions == 0 ? 0 : at.block};
  }
  return {};
}

struct PartCount {
  std::uint64_t own = 0;
  std::uint64_t inclusive = 0;
  std::uint32_t location = 0;
};

std::map<PartKey, PartCount> CountParts(const SampledProfile& profile, Part part) {
  std::vector<std::uint64_t> by_stack(profile.stacks.size());
  for (const auto& sample : profile.samples) ++by_stack[sample.stack];
  std::map<PartKey, PartCount> parts;
  for (std::size_t i = 0; i < by_stack.size(); ++i) {
    if (by_stack[i] == 0) continue;
    const auto& stack = profile.stacks[i];
    std::set<PartKey> seen;  // recursion counts once
    for (std::size_t depth = 0; depth < stack.size(); ++depth) {
      const PartKey key = KeyOf(profile, stack[depth], part);
      PartCount& count = parts[key];
      if (count.own == 0 && count.inclusive == 0) count.location = stack[depth];
      if (depth == 0) count.own += by_stack[i];
      if (seen.insert(key).second) count.inclusive += by_stack[i];
    }
  }
  return parts;
}

double SamplesPerSecond(const format::ProfileFacts& facts) {
  double rate = 0;
  for (const std::uint64_t period : facts.period) {
    if (period != 0) rate += 1e9 / static_cast<double>(period);
  }
  return rate;
}

bool IsClock(const format::ProfileFacts& facts) { return facts.event == "cpu-clock"; }

bool IsOutermost(std::string_view function) {
  constexpr std::array<std::string_view, 6> kStarts = {"_start",       "main",  "__libc_start",
                                                       "start_thread", "clone", "__clone"};
  return std::ranges::any_of(kStarts,
                             [&](std::string_view start) { return function.starts_with(start); });
}

}  // namespace

std::string_view FileNameOf(std::string_view path) { return path.substr(path.rfind('/') + 1); }

double SampledSeconds(const SampledProfile& profile) {
  const auto& facts = profile.facts;
  // The kernel's count includes time in kernel mode even if that is not sampled.
  if (facts.with_kernel && facts.cpu_ns != 0) return 1e-9 * static_cast<double>(facts.cpu_ns);
  const double rate = SamplesPerSecond(facts);
  if (IsClock(facts) && rate > 0) return static_cast<double>(profile.samples.size()) / rate;
  return 1e-9 * static_cast<double>(facts.cpu_ns);
}

Result<Shares> SharesOf(const SampledProfile& profile, Part part, double confidence) {
  if (profile.samples.empty()) {
    return Fail(ErrorKind::kUnsupported,
                "there is no sample: the program used too little processor time; sample more "
                "often (--frequency) or repeat the run (--runs)");
  }
  Shares shares;
  shares.samples = profile.samples.size();
  shares.cpu_seconds = SampledSeconds(profile);
  shares.confidence = confidence;
  const auto parts = CountParts(profile, part);
  for (const auto& [key, count] : parts) {
    const auto& at = profile.locations[count.location];
    PartShare row;
    row.function = elf::Demangled(std::string(std::get<1>(key)));
    row.object = std::get<0>(key);
    row.start = std::get<2>(key);
    row.samples = count.own;
    row.inclusive_samples = count.inclusive;
    if (part == Part::kLine) {
      row.file = std::get<3>(key);
      row.line = static_cast<std::uint32_t>(std::get<4>(key));
    }
    if (part == Part::kBlock) {
      row.offset = at.block_instructions == 0 ? 0 : at.block;
      row.instructions = at.block_instructions;
    }
    TRY(const Measured own, stats::ProportionInterval(count.own, shares.samples, confidence));
    TRY(const Measured all, stats::ProportionInterval(count.inclusive, shares.samples, confidence));
    row.share = Scaled(own, 100);
    row.inclusive_share = Scaled(all, 100);
    row.time = Scaled(own, shares.cpu_seconds);
    if (count.own < kMinSamples) {
      const std::string reason = fmt::format("fewer than {} samples", kMinSamples);
      row.share = Doubtful(std::move(row.share), reason);
      row.time = Doubtful(std::move(row.time), reason);
    }
    shares.rows.push_back(std::move(row));
  }
  std::ranges::sort(shares.rows, [](const PartShare& a, const PartShare& b) {
    return std::tuple(b.samples, b.inclusive_samples, std::string_view(a.object),
                      std::string_view(a.function), a.offset, a.line) <
           std::tuple(a.samples, a.inclusive_samples, std::string_view(b.object),
                      std::string_view(b.function), b.offset, b.line);
  });
  // Farther down nobody asks for ranks, and every pair would be compared.
  constexpr std::size_t kMaxRanked = 500;
  std::vector<std::uint64_t> counts;
  for (const PartShare& row : shares.rows) {
    if (row.samples == 0 || counts.size() == kMaxRanked) break;
    counts.push_back(row.samples);
  }
  TRY(const auto ranks, stats::RankRanges(counts, confidence));
  for (std::size_t i = 0; i < shares.rows.size(); ++i)
    shares.rows[i].rank = i < ranks.size() ? ranks[i] : stats::RankRange{i + 1, shares.rows.size()};
  return shares;
}

StepCheck CheckStep(const SampledProfile& profile) {
  std::map<PartKey, std::array<std::uint64_t, 2>> by_function;
  StepCheck check;
  for (const auto& sample : profile.samples) {
    const PartKey key = KeyOf(profile, profile.stacks[sample.stack].front(), Part::kFunction);
    ++by_function[key][sample.timer];
    ++check.samples[sample.timer];
  }
  if (check.samples[0] == 0 || check.samples[1] == 0) return check;
  std::vector<std::uint64_t> first;
  std::vector<std::uint64_t> second;
  double largest = -1;
  for (const auto& [key, counts] : by_function) {
    first.push_back(counts[0]);
    second.push_back(counts[1]);
    const double a = 100 * static_cast<double>(counts[0]) / static_cast<double>(check.samples[0]);
    const double b = 100 * static_cast<double>(counts[1]) / static_cast<double>(check.samples[1]);
    if (std::fabs(a - b) <= largest) continue;
    largest = std::fabs(a - b);
    check.function = elf::Demangled(std::string(std::get<1>(key)));
    check.share[0] = a;
    check.share[1] = b;
  }
  const auto test = stats::Homogeneity(first, second);
  if (test) check.test = *test;
  // So rare by chance that nobody is warned for nothing.
  constexpr double kAlarm = 0.001;
  check.in_step = check.test.p < kAlarm;
  return check;
}

double BrokenChains(const SampledProfile& profile) {
  if (profile.facts.chains == "none" || profile.samples.empty()) return 0;
  std::vector<bool> broken(profile.stacks.size());
  for (std::size_t i = 0; i < profile.stacks.size(); ++i) {
    // Code of the C library's start may lack a name, so that its callee decides.
    broken[i] = std::ranges::none_of(profile.stacks[i], [&](std::uint32_t location) {
      return IsOutermost(profile.functions[profile.locations[location].function].name);
    });
    const auto& outermost = profile.functions[profile.locations[profile.stacks[i].back()].function];
    if (profile.objects[outermost.object].path == kKernelObject) broken[i] = false;
  }
  const auto count = std::ranges::count_if(
      profile.samples, [&](const auto& sample) { return broken[sample.stack]; });
  return 100 * static_cast<double>(count) / static_cast<double>(profile.samples.size());
}

Measured CostOf(const SampledProfile& profile) {
  const auto& facts = profile.facts;
  const double cpu_ns = 1e9 * SampledSeconds(profile);
  if (facts.sample_cost_ns <= 0 || cpu_ns <= 0) return Absent("it was not measured");
  const auto percent = [&](double cost) {
    return 100 * static_cast<double>(profile.samples.size()) * std::max(cost, 0.0) / cpu_ns;
  };
  return Between(percent(facts.sample_cost_ns),
                 percent(facts.sample_cost_ns - facts.sample_cost_half_ns),
                 percent(facts.sample_cost_ns + facts.sample_cost_half_ns), 0.95);
}

std::vector<Caveat> CaveatsOf(const SampledProfile& profile) {
  std::vector<Caveat> caveats;
  const auto& facts = profile.facts;
  if (!profile.incomplete.empty()) caveats.push_back({CaveatId::kIncomplete, profile.incomplete});
  const StepCheck step = CheckStep(profile);
  if (step.in_step) {
    caveats.push_back(
        {CaveatId::kInStep, fmt::format("{} has {} % of the samples with one period and {} % "
                                        "with the other",
                                        Printable(step.function), Rounded(step.share[0], 3),
                                        Rounded(step.share[1], 3))});
  }
  const auto samples = static_cast<double>(profile.samples.size());
  if (facts.lost > 0) {
    caveats.push_back({CaveatId::kLostSamples, fmt::format("{} of {} samples", facts.lost,
                                                           facts.lost + profile.samples.size())});
  }
  const double expected = 1e-9 * static_cast<double>(facts.cpu_ns) * SamplesPerSecond(facts);
  const double missing = expected - samples - static_cast<double>(facts.lost);
  if (facts.with_kernel && IsClock(facts) && missing > 0.05 * expected &&
      missing > 10 + 3 * std::sqrt(expected)) {
    caveats.push_back(
        {CaveatId::kUnsampledTime,
         fmt::format("{} % of the processor time", Rounded(100 * missing / expected, 3))});
  }
  if (!facts.with_kernel) caveats.push_back({CaveatId::kUserModeOnly, ""});
  const double broken = BrokenChains(profile);
  if (broken > 10) {
    caveats.push_back(
        {CaveatId::kBrokenChains, fmt::format("{} % of the samples", Rounded(broken, 3))});
  }
  const Measured cost = CostOf(profile);
  if (cost.value && cost.Low() > 5) {
    caveats.push_back({CaveatId::kCostlyProfile,
                       fmt::format("{} % of its processor time", Rounded(cost.Value(), 3))});
  }
  return caveats;
}

}  // namespace tare::profile
