// branch_unit.cc: validates and builds the branch predictors of a description.
#include "model/core/branch_unit.h"

#include <fmt/format.h>

#include <bit>
#include <string_view>

namespace tare::model {
namespace {

constexpr unsigned kMaxEntries = 1U << 20;
constexpr unsigned kMaxReturns = 4096;

std::unexpected<Error> Refuse(std::string_view field, unsigned value, std::string_view why) {
  return Fail(ErrorKind::kUsage, fmt::format("branching {} is {}: {}", field, value, why));
}

Result<void> ValidateDirection(const Branching& branching) {
  const unsigned entries = branching.entries;
  if (!std::has_single_bit(entries) || entries < 2 || entries > kMaxEntries)
    return Refuse(
        "entries", entries,
        fmt::format("the number of counters must be a power of two, 2 to {}", kMaxEntries));
  const auto index_bits = static_cast<unsigned>(std::countr_zero(entries));
  const bool shares =
      branching.direction == Direction::kGshare || branching.direction == Direction::kGselect;
  if (shares && (branching.history_bits == 0 || branching.history_bits > index_bits))
    return Refuse(
        "history_bits", branching.history_bits,
        fmt::format("an index into {} counters has {} bits, so the history can have 1 to {}",
                    entries, index_bits, index_bits));
  if (branching.direction == Direction::kBimodal && branching.history_bits != 0)
    return Refuse("history_bits", branching.history_bits, "a bimodal predictor has no history");
  return {};
}

Result<void> ValidateTage(const Branching& branching) {
  if (branching.tables == 0 || branching.tables > kMaxTageTables)
    return Refuse("tables", branching.tables,
                  fmt::format("tage has 1 to {} tagged tables", kMaxTageTables));
  const unsigned shortest = kShortestTageHistory + branching.tables - 1;
  if (branching.history_bits < shortest || branching.history_bits > kLongestTageHistory)
    return Refuse("history_bits", branching.history_bits,
                  fmt::format("with {} tables the longest history has {} to {} bits",
                              branching.tables, shortest, kLongestTageHistory));
  return {};
}

Result<void> ValidateTargets(const Branching& branching) {
  const unsigned entries = branching.target_entries;
  const unsigned ways = branching.target_ways;
  if (ways == 0) return Refuse("target_ways", ways, "a set needs at least 1 way");
  if (entries > kMaxEntries)
    return Refuse("target_entries", entries, fmt::format("at most {} are possible", kMaxEntries));
  if (entries % ways != 0)
    return Refuse("target_ways", ways,
                  fmt::format("{} target_entries are not a multiple of it", entries));
  if (!std::has_single_bit(entries / ways))
    return Refuse("target_entries", entries,
                  fmt::format("with {} ways there are {} sets, which is not a power of two", ways,
                              entries / ways));
  return {};
}

}  // namespace

Result<void> ValidateBranching(const Branching& branching) {
  if (branching.direction != Direction::kNone) TRY_VOID(ValidateDirection(branching));
  if (branching.direction == Direction::kTage) {
    TRY_VOID(ValidateTage(branching));
  } else if (branching.tables != 0) {
    return Refuse("tables", branching.tables, "only tage has tagged tables");
  }
  if (branching.target_entries != 0) TRY_VOID(ValidateTargets(branching));
  if (branching.return_entries > kMaxReturns)
    return Refuse("return_entries", branching.return_entries,
                  fmt::format("at most {} are possible", kMaxReturns));
  return {};
}

unsigned AlignedInstructionBits() {
#if defined(__aarch64__)
  return 2;
#else
  return 0;
#endif
}

bool BranchUnit::MispredictsSlow(std::uint64_t address, bool taken) {
  if (auto* const tage = std::get_if<Tage>(&predictor_)) return tage->Mispredicts(address, taken);
  if (auto* const bimodal = std::get_if<Bimodal>(&predictor_))
    return bimodal->Mispredicts(address, taken);
  if (auto* const gselect = std::get_if<Gselect>(&predictor_))
    return gselect->Mispredicts(address, taken);
  return false;
}

BranchUnit::Predictor BranchUnit::Make(const Branching& branching, unsigned aligned_bits) {
  switch (branching.direction) {
    case Direction::kNone:
      break;
    case Direction::kBimodal:
      return Bimodal(branching.entries);
    case Direction::kGshare:
      return Gshare(branching.entries, branching.history_bits);
    case Direction::kGselect:
      return Gselect(branching.entries, branching.history_bits, aligned_bits);
    case Direction::kTage:
      return Tage(branching.entries, branching.history_bits, branching.tables);
  }
  return std::monostate();
}

BranchUnit::BranchUnit(const Branching& branching, unsigned aligned_bits)
    : predictor_(Make(branching, aligned_bits)) {
  if (branching.target_entries != 0)
    targets_.emplace(branching.target_entries, branching.target_ways, aligned_bits);
  if (branching.return_entries != 0) returns_.emplace(branching.return_entries);
}

}  // namespace tare::model
