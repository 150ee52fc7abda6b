// changed_levels.cc: applying changes to levels and to the times that were fitted to them.
#include "machine/profile/changed_levels.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/printable.h"
#include "base/units.h"
#include "machine/profile/hit_rates.h"
#include "machine/profile/profile_validity.h"

namespace tare::machine_profile {
namespace {

void Add(ChangedLevels& changed, Level level) {
  std::size_t index = 0;
  while (index + 1 < changed.levels.size() && changed.levels[index].bytes < level.bytes) ++index;
  const Level& beyond = changed.levels[index];
  if (level.line_bytes == 0) level.line_bytes = LineBytes(changed.levels);
  // The new level supports as many outstanding lines as the level beyond it.
  if (!level.parallel && beyond.parallel) {
    level.parallel = WithOrigin(Origin::kProjected, *beyond.parallel);
  }
  const auto offset = static_cast<std::ptrdiff_t>(index);
  changed.levels.insert(changed.levels.begin() + offset, std::move(level));
  changed.from.insert(changed.from.begin() + offset, std::nullopt);
}

Result<void> Remove(ChangedLevels& changed, std::string_view name) {
  TRY(const std::size_t index, FindLevel(changed.levels, name));
  if (index + 1 == changed.levels.size()) {
    return Fail(ErrorKind::kUsage, "memory cannot be removed");
  }
  changed.levels.erase(changed.levels.begin() + static_cast<std::ptrdiff_t>(index));
  changed.from.erase(changed.from.begin() + static_cast<std::ptrdiff_t>(index));
  return {};
}

void SpeedUp(ChangedLevels& changed, double factor) {
  changed.clock *= factor;
  for (std::size_t i = 0; i + 1 < changed.levels.size(); ++i) {
    Level& level = changed.levels[i];
    // A level without one of these figures needs no change there.
    (void)ScaleField(level, LevelField::kLatency, 1 / factor, Origin::kProjected);
    (void)ScaleField(level, LevelField::kBandwidth, factor, Origin::kProjected);
  }
}

Result<void> SetTo(Level& level, LevelField field, double value) {
  const bool geometry =
      field == LevelField::kBytes || field == LevelField::kWays || field == LevelField::kLine;
  Level probe = level;
  if (!geometry) TRY_VOID(ScaleField(probe, field, 1, Origin::kProjected));
  SetField(level, field, value, Origin::kProjected);
  return {};
}

Result<void> Apply(ChangedLevels& changed, const Change& change) {
  switch (change.kind) {
    case Change::Kind::kAdd:
      Add(changed, change.added);
      return {};
    case Change::Kind::kRemove:
      return Remove(changed, change.level);
    case Change::Kind::kClock:
      SpeedUp(changed, change.value);
      return {};
    case Change::Kind::kTlb:
      return {};  // see ChangeTlbs
    case Change::Kind::kSet:
    case Change::Kind::kScale:
      break;
  }
  TRY(const std::size_t index, FindLevel(changed.levels, change.level));
  Level& level = changed.levels[index];
  if (change.kind == Change::Kind::kSet) return SetTo(level, change.field, change.value);
  return ScaleField(level, change.field, change.value, Origin::kProjected);
}

Result<void> RequireOrder(std::span<const Level> levels) {
  for (std::size_t i = 1; i < levels.size(); ++i) {
    const auto& nearer = levels[i - 1].latency;
    const auto& latency = levels[i].latency;
    if (!nearer || !latency || latency->Value() >= nearer->Value() / 2) continue;
    const bool measured =
        OriginOf(*nearer) != Origin::kProjected && OriginOf(*latency) != Origin::kProjected;
    if (measured) continue;
    return Fail(ErrorKind::kUsage,
                fmt::format("the latency of {} would be {} ns, less than half that of {}, which "
                            "is closer to the core",
                            Printable(levels[i].name), Rounded(latency->Value() * 1e9, 3),
                            Printable(levels[i - 1].name)));
  }
  return {};
}

// "TLB 1" for "TLB1", and the last one for "TLB".
Result<std::size_t> FindTlb(std::span<const Tlb> tlbs, std::string_view name) {
  if (tlbs.empty()) return Fail(ErrorKind::kUsage, "the machine has no TLB to change");
  if (name == "TLB") return tlbs.size() - 1;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < tlbs.size(); ++i) {
    std::string word = tlbs[i].name;
    std::erase(word, ' ');
    if (word == name) return i;
    names.push_back(std::move(word));
  }
  return Fail(ErrorKind::kUsage, fmt::format("there is no '{}'; the TLBs are {}", Printable(name),
                                             Printable(fmt::format("{}", fmt::join(names, ", ")))));
}

double FactorOf(const std::optional<Measured>& before, const std::optional<Measured>& after) {
  return before && after ? after->Value() / before->Value() : 1;
}

// Seconds in which the level transfers a line for `access`.
std::optional<double> LineSeconds(const Level& level, Access access, double line) {
  const bool loads = access != Access::kStore;
  const bool stores = access != Access::kLoad;
  if ((loads && !level.load) || (stores && !level.store)) return std::nullopt;
  return (loads ? line / level.load->Value() : 0) + (stores ? line / level.store->Value() : 0);
}

unsigned LineOf(std::span<const Level> levels, std::size_t index) {
  return levels[index].line_bytes == 0 ? LineBytes(levels) : levels[index].line_bytes;
}

// A lower bound of the time of a line: its old value, and the ratio of new to old.
struct Bound {
  double seconds;
  double ratio;
};

// The new maximum of the bounds. `limit` determined the old time `total`, whatever its own figure
// says; no other bound exceeded it. Without a change the result is `total`.
double Longest(double total, const Bound& limit, std::span<const Bound> others) {
  double longest = total * limit.ratio;
  for (const Bound& bound : others) {
    longest = std::max(longest, std::min(bound.seconds, total) * bound.ratio);
  }
  return longest;
}

// A bound is the limiting one when it explains the time up to this factor.
constexpr double kNearly = 1.05;

// Converts the times of one curve from the old levels to the new ones.
class CurveConversion {
 public:
  CurveConversion(const CurveModel& fitted, std::span<const Level> before,
                  const ChangedLevels& after, unsigned widest_bytes)
      : fitted_(fitted), before_(before), after_(after), widest_bytes_(widest_bytes) {}

  std::optional<CurveModel> Make() {
    CurveModel model = fitted_;
    model.seconds.clear();
    model.known.assign(after_.levels.size(), true);
    for (std::size_t i = 0; i < after_.levels.size(); ++i) {
      const auto seconds = SecondsOf(i);
      if (!seconds) return std::nullopt;
      if (i == 0) nearest_ = *seconds;
      model.seconds.push_back(*seconds);
    }
    return model;
  }

 private:
  std::optional<double> SecondsOf(std::size_t index) const {
    const auto from = after_.from[index];
    if (!from || !fitted_.known[*from]) {
      return LevelSeconds(after_.levels, index, fitted_.key, widest_bytes_);
    }
    if (fitted_.key.pattern == Pattern::kChained) {
      return fitted_.seconds[*from] *
             FactorOf(before_[*from].latency, after_.levels[index].latency);
    }
    // The time of a line is that of its first access plus that of the others, which hit the nearest
    // level.
    const double old_others = AccessesPerLine(fitted_.key, LineOf(before_, *from)) - 1;
    const double others = AccessesPerLine(fitted_.key, LineOf(after_.levels, index)) - 1;
    const double line =
        LineTime(fitted_.seconds[*from] + old_others * fitted_.seconds[0], index, *from);
    if (index == 0) return line / (others + 1);
    return std::max(line - others * nearest_, 0.0);
  }

  double LineTime(double total, std::size_t index, std::size_t from) const {
    const unsigned old_line = LineOf(before_, from);
    const unsigned line = LineOf(after_.levels, index);
    const double old_busy = AccessesPerLine(fitted_.key, old_line) * fitted_.seconds[0];
    const double busy = AccessesPerLine(fitted_.key, line) * nearest_;
    // The time of the nearest level represents the core's own speed.
    const Bound core = index > 0 && old_busy > 0 ? Bound{old_busy, busy / old_busy} : Bound{0, 1};
    const Bound move = MoveBound(total, index, from);
    const Bound wait = WaitBound(index, from);
    const double stride = static_cast<double>(fitted_.key.stride) * fitted_.key.element_bytes;
    const bool waits = fitted_.key.pattern == Pattern::kRandom || stride >= line;
    if (from > 0 && total <= kNearly * old_busy) {
      return Longest(total, core, std::array{move, waits ? wait : core});
    }
    if (waits && total > kNearly * move.seconds) {
      return Longest(total, wait, std::array{core, move});
    }
    return Longest(total, move, std::array{core, waits ? wait : core});
  }

  Bound MoveBound(double total, std::size_t index, std::size_t from) const {
    const Access access = fitted_.key.access;
    const auto before = LineSeconds(before_[from], access, LineOf(before_, from));
    const auto after = LineSeconds(after_.levels[index], access, LineOf(after_.levels, index));
    if (!before || !after) return {fitted_.key.pattern == Pattern::kRandom ? 0 : total, 1};
    return {*before, *after / *before};
  }

  Bound WaitBound(std::size_t index, std::size_t from) const {
    const Level& before = before_[from];
    const Level& after = after_.levels[index];
    const double ratio =
        FactorOf(before.latency, after.latency) / FactorOf(before.parallel, after.parallel);
    if (!before.latency || !before.parallel) return {0, ratio};
    return {before.latency->Value() / before.parallel->Value(), ratio};
  }

  const CurveModel& fitted_;
  std::span<const Level> before_;
  const ChangedLevels& after_;
  unsigned widest_bytes_;
  double nearest_ = 0;
};

}  // namespace

Result<ChangedLevels> ChangeLevels(std::span<const Level> levels, std::span<const Change> changes) {
  ChangedLevels changed{{levels.begin(), levels.end()}, {}, 1};
  for (std::size_t i = 0; i < levels.size(); ++i) changed.from.emplace_back(i);
  for (const Change& change : changes) TRY_VOID(Apply(changed, change));
  TRY_VOID(RequireOrder(changed.levels));
  return changed;
}

Result<std::vector<Tlb>> ChangeTlbs(std::span<const Tlb> tlbs, std::span<const Change> changes) {
  std::vector<Tlb> changed(tlbs.begin(), tlbs.end());
  for (const Change& change : changes) {
    if (change.kind != Change::Kind::kTlb) continue;
    TRY(const std::size_t index, FindTlb(changed, change.level));
    Tlb& tlb = changed[index];
    tlb.origin = Origin::kProjected;
    if (change.tlb_field == TlbField::kMiss) {
      tlb.miss = WithOrigin(Origin::kProjected, Unbounded(change.value));
    } else {
      auto& number = change.tlb_field == TlbField::kPage ? tlb.page_bytes : tlb.entries;
      number = static_cast<std::uint64_t>(change.value);
    }
  }
  return changed;
}

std::optional<CurveModel> ChangeModel(const CurveModel& fitted, std::span<const Level> before,
                                      const ChangedLevels& after, unsigned widest_bytes) {
  return CurveConversion(fitted, before, after, widest_bytes).Make();
}

double AtSize(std::span<const double> bytes, std::span<const double> values, double at) {
  const auto above = std::ranges::upper_bound(bytes, at);
  if (above == bytes.begin()) return values.front();
  if (above == bytes.end()) return values.back();
  const auto i = static_cast<std::size_t>(above - bytes.begin());
  const double part = std::log(at / bytes[i - 1]) / std::log(bytes[i] / bytes[i - 1]);
  return std::lerp(values[i - 1], values[i], part);
}

double Warped(double bytes, std::span<const double> from, std::span<const double> to) {
  const auto above = std::ranges::upper_bound(from, bytes);
  if (above == from.begin()) return bytes * to.front() / from.front();
  if (above == from.end()) return bytes * to.back() / from.back();
  const auto i = static_cast<std::size_t>(above - from.begin());
  const double part = std::log(bytes / from[i - 1]) / std::log(from[i] / from[i - 1]);
  return to[i - 1] * std::pow(to[i] / to[i - 1], part);
}

}  // namespace tare::machine_profile
