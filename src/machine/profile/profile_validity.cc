// profile_validity.cc: checking the numbers of a profile for plausibility.
#include "machine/profile/profile_validity.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include "base/printable.h"
#include "base/units.h"

namespace tare::machine_profile {
namespace {

template <typename... Parts>
std::unexpected<Error> Impossible(std::string_view place, fmt::format_string<Parts...> format,
                                  Parts&&... parts) {
  return Fail(ErrorKind::kFormat,
              fmt::format("{}: {}", place, fmt::format(format, std::forward<Parts>(parts)...)));
}

std::string SizeText(std::uint64_t bytes) {
  const auto size = static_cast<double>(bytes);
  const ScaledUnit unit = ReadableUnit(size, "B");
  return fmt::format("{} {}", Rounded(size * unit.factor, 4), unit.symbol);
}

Result<void> CheckFigure(const Measured& figure, const std::string& place) {
  if (!figure.value || !std::isfinite(figure.Value())) {
    return Impossible(place, "not a finite number");
  }
  if (figure.low.has_value() != figure.high.has_value()) {
    return Impossible(place, "an interval needs both ends");
  }
  if (figure.low && !(std::isfinite(*figure.low) && std::isfinite(*figure.high) &&
                      *figure.low <= figure.Value() && figure.Value() <= *figure.high)) {
    return Impossible(place, "{:g} is outside its interval from {:g} to {:g}", figure.Value(),
                      *figure.low, *figure.high);
  }
  if (figure.verdict != Verdict::kValid && figure.reason.empty()) {
    return Impossible(place, "the verdict is '{}' but there is no reason",
                      tare::Name(figure.verdict));
  }
  return {};
}

Result<void> CheckNotNegative(const Measured& figure, const std::string& place) {
  TRY_VOID(CheckFigure(figure, place));
  if (figure.Value() < 0) return Impossible(place, "{} is negative", figure.Value());
  return {};
}

Result<void> CheckPositive(const std::optional<Measured>& figure, const std::string& place) {
  if (!figure) return {};
  TRY_VOID(CheckFigure(*figure, place));
  if (!(figure->Value() > 0)) return Impossible(place, "{} is not positive", figure->Value());
  if (figure->low && *figure->low < 0) {
    return Impossible(place, "its interval starts below 0, at {}", *figure->low);
  }
  return {};
}

Result<void> CheckGeometry(const Level& level, const std::string& place) {
  if (level.line_bytes != 0 && !std::has_single_bit(level.line_bytes)) {
    return Impossible(place + ".line_bytes", "{} is not a power of two", level.line_bytes);
  }
  if (level.name == kMemory) {
    if (level.ways != 0) return Impossible(place + ".ways", "memory has no ways");
    return {};
  }
  if (level.bytes == 0) return Impossible(place + ".bytes", "the capacity of a cache cannot be 0");
  if (level.line_bytes == 0) return {};
  if (level.bytes % level.line_bytes != 0) {
    return Impossible(place + ".bytes", "{} bytes are not a whole number of lines of {} bytes",
                      level.bytes, level.line_bytes);
  }
  const std::uint64_t lines = level.bytes / level.line_bytes;
  if (level.ways != 0 && lines % level.ways != 0) {
    return Impossible(place + ".ways", "{} ways do not divide its {} lines", level.ways, lines);
  }
  return {};
}

Result<void> CheckLevel(const Level& level, const std::string& place) {
  if (level.name.empty() || level.name.find_first_of(".= \t\n") != std::string::npos) {
    return Impossible(place + ".name", "'{}' must be one word without '.' and '='",
                      Printable(level.name));
  }
  TRY_VOID(CheckGeometry(level, place));
  TRY_VOID(CheckPositive(level.latency, place + ".latency"));
  TRY_VOID(CheckPositive(level.load, place + ".load"));
  TRY_VOID(CheckPositive(level.store, place + ".store"));
  return CheckPositive(level.parallel, place + ".parallel");
}

Result<void> CheckLevels(const std::vector<Level>& levels) {
  if (levels.empty() || levels.back().name != kMemory) {
    return Impossible("levels", "the last level must be memory");
  }
  if (levels.size() > kMaxLevels) {
    return Impossible("levels", "{} levels exceed the maximum of {}", levels.size(), kMaxLevels);
  }
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const std::string place = fmt::format("levels[{}]", i);
    TRY_VOID(CheckLevel(levels[i], place));
    if (!names.insert(levels[i].name).second) {
      return Impossible(place + ".name", "'{}' is listed twice", Printable(levels[i].name));
    }
    const bool known = i + 1 < levels.size() || levels[i].bytes != 0;
    if (i > 0 && known && levels[i].bytes <= levels[i - 1].bytes) {
      return Impossible(place + ".bytes", "{} with {} is not larger than {} with {}",
                        Printable(levels[i].name), SizeText(levels[i].bytes),
                        Printable(levels[i - 1].name), SizeText(levels[i - 1].bytes));
    }
  }
  return {};
}

Result<void> CheckTlb(const Tlb& tlb, const std::string& place) {
  if (!std::has_single_bit(tlb.page_bytes)) {
    return Impossible(place + ".page_bytes", "{} is not a power of two", tlb.page_bytes);
  }
  if (tlb.entries == 0) return Impossible(place + ".entries", "a TLB needs at least one entry");
  if (!tlb.miss) return {};
  return CheckNotNegative(*tlb.miss, place + ".miss");
}

Result<void> CheckTlbs(const std::vector<Tlb>& tlbs) {
  for (std::size_t i = 0; i < tlbs.size(); ++i) {
    TRY_VOID(CheckTlb(tlbs[i], fmt::format("tlbs[{}]", i)));
  }
  return {};
}

Result<void> CheckTopology(const Topology& topology) {
  const auto fewer = [](unsigned inner, unsigned outer) {
    return inner != 0 && outer != 0 && inner < outer;
  };
  if (fewer(topology.threads, topology.cores)) {
    return Impossible("topology.threads", "{} threads are fewer than the {} cores",
                      topology.threads, topology.cores);
  }
  if (fewer(topology.cores, topology.packages)) {
    return Impossible("topology.cores", "{} cores are fewer than the {} packages", topology.cores,
                      topology.packages);
  }
  return {};
}

Result<void> CheckKey(const CurveKey& key, const std::string& place) {
  constexpr unsigned kMaxStride = 1 << 20;
  constexpr unsigned kMaxElement = 1 << 12;
  if (key.stride == 0 || key.stride > kMaxStride) {
    return Impossible(place + ".stride", "{} is not between 1 and {}", key.stride, kMaxStride);
  }
  if (key.pattern != Pattern::kStrided && key.stride != 1) {
    return Impossible(place + ".stride", "{} accesses must have stride 1", Name(key.pattern));
  }
  if (key.pattern == Pattern::kChained && key.access == Access::kStore) {
    return Impossible(place + ".access", "stores cannot be chained");
  }
  if (!std::has_single_bit(key.element_bytes) || key.element_bytes > kMaxElement) {
    return Impossible(place + ".element_bytes", "{} is not a power of two up to {}",
                      key.element_bytes, kMaxElement);
  }
  return {};
}

Result<void> CheckHits(const std::vector<double>& hits, std::size_t caches,
                       const std::string& place) {
  if (hits.empty()) return {};
  if (hits.size() != caches) {
    return Impossible(place, "{} hit rates for {} caches", hits.size(), caches);
  }
  double nearer = 0;
  for (const double hit : hits) {
    if (!(hit >= 0 && hit <= 1)) return Impossible(place, "{} is not between 0 and 1", hit);
    if (hit < nearer) {
      return Impossible(place, "{} after {}: hit rates are cumulative and cannot decrease", hit,
                        nearer);
    }
    nearer = hit;
  }
  return {};
}

Result<void> CheckPoints(const Curve& curve, std::size_t caches, const std::string& place) {
  std::uint64_t last = 0;
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    const CurvePoint& point = curve.points[i];
    const std::string at = fmt::format("{}.points[{}]", place, i);
    if (point.bytes <= last) {
      return Impossible(at + ".bytes", "{} is not greater than {}; sizes must increase",
                        point.bytes, last);
    }
    last = point.bytes;
    TRY_VOID(CheckPositive(point.rate, at + ".rate"));
    TRY_VOID(CheckHits(point.hits, caches, at + ".hits"));
  }
  return {};
}

Result<void> CheckCurves(const std::vector<Curve>& curves, std::size_t caches) {
  std::set<CurveKey> keys;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const std::string place = fmt::format("curves[{}]", i);
    TRY_VOID(CheckKey(curves[i].key, place));
    if (!keys.insert(curves[i].key).second) {
      return Impossible(place, "'{}' is listed twice", CurveName(curves[i].key));
    }
    TRY_VOID(CheckPoints(curves[i], caches, place));
  }
  return {};
}

Result<void> CheckRates(const std::vector<Rate>& rates) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    const std::string place = fmt::format("rates[{}]", i);
    if (rates[i].name.empty()) return Impossible(place + ".name", "it is empty");
    if (!names.insert(rates[i].name).second) {
      return Impossible(place + ".name", "'{}' is listed twice", Printable(rates[i].name));
    }
    TRY_VOID(CheckPositive(rates[i].figure, place + ".figure"));
  }
  return {};
}

Result<void> CheckGraphs(const std::vector<Graph>& graphs) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    const std::string place = fmt::format("graphs[{}]", i);
    if (!names.insert(graphs[i].name).second) {
      return Impossible(place + ".name", "'{}' is listed twice", Printable(graphs[i].name));
    }
    for (std::size_t j = 0; j < graphs[i].points.size(); ++j) {
      const GraphPoint& point = graphs[i].points[j];
      const std::string at = fmt::format("{}.points[{}]", place, j);
      if (!std::isfinite(point.x)) return Impossible(at + ".x", "not a finite number");
      TRY_VOID(CheckNotNegative(point.y, at + ".y"));
    }
  }
  return {};
}

Result<void> CheckDiscovered(const std::vector<Discovery>& discovered) {
  for (std::size_t i = 0; i < discovered.size(); ++i) {
    const Discovery& row = discovered[i];
    const std::string place = fmt::format("discovered[{}]", i);
    if (row.measured) TRY_VOID(CheckNotNegative(*row.measured, place + ".measured"));
    if (row.reported && !(std::isfinite(*row.reported) && *row.reported >= 0)) {
      return Impossible(place + ".reported", "{} is negative or not finite", *row.reported);
    }
  }
  return {};
}

}  // namespace

Result<void> RequirePossible(const Profile& profile) {
  if (profile.name.empty()) return Impossible("name", "it is empty");
  TRY_VOID(CheckTopology(profile.topology));
  TRY_VOID(CheckLevels(profile.levels));
  TRY_VOID(CheckTlbs(profile.tlbs));
  TRY_VOID(CheckRates(profile.rates));
  TRY_VOID(CheckCurves(profile.curves, profile.levels.size() - 1));
  TRY_VOID(CheckGraphs(profile.graphs));
  return CheckDiscovered(profile.discovered);
}

}  // namespace tare::machine_profile
