// replay_processor.cc: predicts with a signature, and prices the counters of programs built by
// tare-cc.
#include "cli/commands/replay/replay_processor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/printable.h"
#include "binary/elf/elf_image.h"
#include "cli/machine_profiles.h"
#include "measure/engine/compiled_module.h"
#include "predict/convolve/block_times.h"
#include "predict/convolve/prediction.h"
#include "predict/signature/signature_file.h"

namespace tare::cli {
namespace {

// Of the price of a module, before it is said that it is uncertain.
constexpr double kMaxUnexplained = 0.05;

Result<convolve::MachineRates> RatesOf(const std::string& machine) {
  TRY(const auto profile, ProfileOf(machine));
  return convolve::RatesOf(profile);
}

// The counters of a module of all ranks, added up.
struct ModuleTotals {
  std::vector<std::uint64_t> slots;
  std::string build_id;  // of the program that ran; empty: unknown, or a library
};

std::map<std::string, ModuleTotals> TotalsOf(const format::MpiTrace& trace) {
  std::map<std::string, ModuleTotals> totals;
  for (const format::MpiRank& rank : trace.ranks) {
    std::vector<std::pair<const format::MpiCounterModule*, ModuleTotals*>> modules;
    for (const format::MpiCounterModule& module : rank.modules) {
      ModuleTotals& total = totals[module.path];
      total.slots.resize(std::max<std::size_t>(total.slots.size(), module.slots));
      if (module.path == rank.header.program) total.build_id = rank.header.build_id;
      modules.emplace_back(&module, &total);
    }
    for (const format::MpiCounterDelta& delta : rank.counters) {
      for (const auto& [module, total] : modules) {
        if (delta.slot >= module->first_slot && delta.slot - module->first_slot < module->slots) {
          total->slots[delta.slot - module->first_slot] += delta.increase;
        }
      }
    }
  }
  return totals;
}

// The file of the signature that has the code of this one.
std::optional<std::uint32_t> ObjectOf(const signature::Signature& signature,
                                      const elf::ElfImage& image, const std::string& path) {
  for (std::uint32_t i = 0; i < signature.objects.size(); ++i) {
    const signature::Object& object = signature.objects[i];
    const bool same = object.build_id.empty() || image.build_id().empty()
                          ? object.path == path && object.bytes == image.file_bytes()
                          : object.build_id == image.build_id();
    if (same) return i;
  }
  return std::nullopt;
}

Result<replay::ModulePrices> PricesOf(const PredictedProcessor& processor, const std::string& path,
                                      const ModuleTotals& totals) {
  TRY(const auto image, elf::OpenElf(path));
  if (!totals.build_id.empty() && totals.build_id != image.build_id()) {
    return Fail(ErrorKind::kFormat, "the file is not the one that ran");
  }
  const auto object = ObjectOf(processor.signature, image, path);
  if (!object) return Fail(ErrorKind::kNotFound, "the signature has no code of this file");
  const convolve::BlockTimes recorded(processor.signature, *object, processor.recorded);
  const convolve::BlockTimes target(processor.signature, *object, processor.target);
  const auto cost_on = [&](const convolve::BlockTimes& times) -> engine::BlockCost {
    return [&](std::uint64_t address, std::uint32_t bytes) {
      const auto offset = image.FileOffsetOf(address);
      return offset ? times.Seconds(*offset, bytes) : 0;
    };
  };
  const std::array costs = {cost_on(recorded), cost_on(target)};
  TRY(auto weights, engine::WeighSlots(image, totals.slots, costs));
  for (const engine::SlotWeights& one : weights) {
    if (one.unexplained > kMaxUnexplained * one.total) {
      return Fail(ErrorKind::kUnsupported,
                  fmt::format("the counters leave {:.0f} % of its time open",
                              100 * one.unexplained / one.total));
    }
  }
  return replay::ModulePrices{std::move(weights[0].slots), std::move(weights[1].slots)};
}

}  // namespace

Result<std::optional<PredictedProcessor>> PredictProcessor(const ReplayFlags& flags) {
  if (flags.signature.empty() && flags.machine.empty()) return std::nullopt;
  if (flags.signature.empty() || flags.machine.empty()) {
    return Fail(ErrorKind::kUsage,
                "--machine needs --signature FILE (of tare sign) of the program, and vice versa");
  }
  PredictedProcessor processor;
  TRY(processor.signature, signature::ReadSignature(flags.signature));
  TRY(processor.recorded, RatesOf(flags.recorded_on));
  TRY(processor.target, RatesOf(flags.machine));
  const auto work = convolve::WorkOf(processor.signature);
  const double recorded = convolve::PredictSeconds(work, processor.recorded);
  const double target = convolve::PredictSeconds(work, processor.target);
  if (!(recorded > 0) || !(target > 0)) {
    return Fail(ErrorKind::kUnsupported, "the signature predicts no time");
  }
  processor.ratio = recorded / target;
  return processor;
}

replay::BurstFactors BurstFactorsOf(const PredictedProcessor& processor,
                                    const format::MpiTrace& trace, std::vector<Caveat>& caveats) {
  std::map<std::string, replay::ModulePrices> modules;
  for (const auto& [path, totals] : TotalsOf(trace)) {
    if (std::ranges::all_of(totals.slots, [](std::uint64_t slot) { return slot == 0; })) continue;
    auto prices = PricesOf(processor, path, totals);
    if (prices) {
      modules.emplace(path, std::move(*prices));
    } else {
      caveats.push_back({CaveatId::kCountersNotUsed,
                         fmt::format("{}: {}", Printable(path), prices.error().message)});
    }
  }
  return replay::FactorsOf(trace, modules, processor.ratio);
}

}  // namespace tare::cli
