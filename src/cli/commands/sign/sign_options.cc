// sign_options.cc: checks the options of `tare sign`.
#include "cli/commands/sign/sign_options.h"

#include <fmt/format.h>

namespace tare::cli {
namespace {

// SimPoint's usual length of an interval.
constexpr std::int64_t kBbvInterval = 100'000'000;

Result<std::int64_t> SignNumber(std::string_view flag, const std::optional<std::int64_t>& given,
                                std::int64_t usual, std::int64_t min, std::int64_t max) {
  const std::int64_t value = given.value_or(usual);
  if (value >= min && value <= max) return value;
  return Fail(ErrorKind::kUsage, fmt::format("{} {}: expected {} to {}", flag, value, min, max));
}

signature::Sampling SamplingOf(const SignOptions& options) {
  if (options.exact) return signature::Sampling::Exact();
  signature::Sampling sampling;
  if (options.sample) {
    sampling.near_groups = 1;
    sampling.far_bits = 9;
    sampling.burst_period = 512;
    sampling.window_period = 128;
  }
  return sampling;
}

}  // namespace

Result<SignView> SignViewOf(const SignOptions& options, bool all) {
  SignView view;
  view.per = options.per;
  view.verbose = options.verbose;
  view.all = all;
  TRY(const std::int64_t top, SignNumber("--top", options.top, view.all ? 0 : 10, 0, INT64_MAX));
  view.top = static_cast<std::size_t>(top);
  return view;
}

Result<std::vector<DescribedMachine>> SignMachines(const SignOptions& options) {
  std::vector<std::string> words = options.machines;
  if (words.empty()) words.emplace_back();
  std::vector<DescribedMachine> machines;
  for (const std::string& word : words) {
    auto machine = FindDescribedMachine(word);
    if (!machine && word.empty()) return std::unexpected(std::move(machine).error());
    if (!machine) return Fail(machine.error().kind, "--machine: " + machine.error().message);
    machines.push_back(*std::move(machine));
  }
  return machines;
}

Result<signature::CollectPlan> SignPlan(const SignOptions& options, const ReadyProgram& ready,
                                        const Session& session) {
  if (options.sample && options.exact)
    return Fail(ErrorKind::kUsage, "--sample and --exact exclude each other");
  signature::CollectPlan plan;
  plan.source =
      options.source == "compiled" ? signature::Source::kCompiled : signature::Source::kValgrind;
  plan.files = host::FindEngineFiles();
  plan.engine = EnginePlanOf(options, ready, session);
  plan.sampling = SamplingOf(options);
  TRY(const std::int64_t seed, SignNumber("--seed", options.seed, 1, 0, INT64_MAX));
  plan.sampling.seed = static_cast<std::uint64_t>(seed);
  TRY(const std::int64_t depth, SignNumber("--stride-depth", options.stride_depth, 8, 1, 64));
  plan.stride_depth = static_cast<unsigned>(depth);
  plan.threads_apart = options.threads == "separate";
  TRY(const std::int64_t interval,
      SignNumber("--bbv-interval", options.bbv_interval, kBbvInterval, 1000, INT64_MAX));
  if (!options.bbv.empty()) plan.vector_instructions = static_cast<std::uint64_t>(interval);
  return plan;
}

}  // namespace tare::cli
