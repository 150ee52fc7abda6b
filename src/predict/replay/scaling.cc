// scaling.cc: fits of few points, and larger programs from smaller ones.
#include "predict/replay/scaling.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>

#include "predict/replay/replay.h"
#include "stats/distribution.h"

namespace tare::replay {
namespace {

struct ScalingFunction {
  std::string_view name;
  double (*value)(double);
};

constexpr auto kFunctions = std::to_array<ScalingFunction>({
    {"a + b / p", [](double p) { return 1 / p; }},
    {"a + b log p", [](double p) { return std::log2(p); }},
    {"a + b sqrt p", [](double p) { return std::sqrt(p); }},
    {"a + b p", [](double p) { return p; }},
    {"a + b p log p", [](double p) { return p * std::log2(p); }},
});

struct Fit {
  const ScalingFunction* function = nullptr;
  double a = 0;
  double b = 0;
  double residual = 0;  // sum of squares
  double mean = 0;      // of f
  double spread = 0;    // sum of squares of f about its mean
  double count = 0;

  double At(double p) const { return std::max(a + b * function->value(p), 0.0); }
  // Half width of the prediction interval.
  double Width(double p, double floor) const {
    const double degrees = count - 2;
    const double s = std::sqrt(std::max(residual, floor) / degrees);
    const double distance = function->value(p) - mean;
    const double factor = 1 + 1 / count + (spread > 0 ? distance * distance / spread : 0);
    return stats::StudentCritical(0.95, degrees) * s * std::sqrt(factor);
  }
};

Fit FitOf(const ScalingFunction& function, std::span<const double> p, std::span<const double> y) {
  Fit fit;
  fit.function = &function;
  fit.count = static_cast<double>(p.size());
  double mean_y = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    fit.mean += function.value(p[i]) / fit.count;
    mean_y += y[i] / fit.count;
  }
  double product = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double x = function.value(p[i]) - fit.mean;
    fit.spread += x * x;
    product += x * (y[i] - mean_y);
  }
  fit.b = fit.spread > 0 ? std::max(product / fit.spread, 0.0) : 0;
  fit.a = mean_y - fit.b * fit.mean;
  if (fit.a < 0) {  // through the origin
    double xx = 0;
    double xy = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
      const double x = function.value(p[i]);
      xx += x * x;
      xy += x * y[i];
    }
    fit.a = 0;
    fit.b = xx > 0 ? std::max(xy / xx, 0.0) : 0;
  }
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double off = y[i] - (fit.a + fit.b * function.value(p[i]));
    fit.residual += off * off;
  }
  return fit;
}

struct Range {
  double value = 0;
  double low = 0;
  double high = 0;
  std::string_view name;
};

Range RangeAt(std::span<const Fit> fits, double p, double floor) {
  const Fit& best = *std::ranges::min_element(fits, {}, &Fit::residual);
  const double width = best.Width(p, floor);
  Range range{best.At(p), std::max(best.At(p) - width, 0.0), best.At(p) + width,
              best.function->name};
  // A function that misses the points hardly more could be the right one as well.
  constexpr double kNearlyAsWell = 4;
  for (const Fit& fit : fits) {
    if (fit.residual > kNearlyAsWell * std::max(best.residual, floor)) continue;
    range.low = std::min(range.low, fit.At(p));
    range.high = std::max(range.high, fit.At(p));
  }
  return range;
}

// The rank whose part a rank of the larger program plays.
std::size_t TemplateOf(std::int32_t rank, std::int32_t ranks, std::int32_t known) {
  if (rank == 0) return 0;
  if (rank + 1 == ranks) return static_cast<std::size_t>(known - 1);
  return known < 3 ? static_cast<std::size_t>(rank % known)
                   : static_cast<std::size_t>(1 + (rank - 1) % (known - 2));
}

}  // namespace

Result<std::vector<Extrapolation>> Extrapolate(std::span<const ScalingPoint> points,
                                               std::span<const std::int32_t> ranks) {
  std::set<std::int32_t> different;
  std::vector<double> p;
  std::vector<double> compute;
  std::vector<double> rest;
  double largest = 0;
  for (const ScalingPoint& point : points) {
    different.insert(point.ranks);
    p.push_back(point.ranks);
    compute.push_back(point.compute);
    rest.push_back(point.rest);
    largest = std::max(largest, point.compute + point.rest);
  }
  if (different.size() < 3) {
    return Fail(ErrorKind::kUsage,
                fmt::format("extrapolation needs traces at three or more numbers of ranks, not {}",
                            different.size()));
  }
  // Times repeat to a percent at best, however well few points fit.
  constexpr double kRepeats = 0.01;
  const double floor = std::pow(kRepeats * largest, 2);
  std::vector<Fit> compute_fits;
  std::vector<Fit> rest_fits;
  for (const ScalingFunction& function : kFunctions) {
    compute_fits.push_back(FitOf(function, p, compute));
    rest_fits.push_back(FitOf(function, p, rest));
  }
  std::vector<Extrapolation> results;
  for (const std::int32_t count : ranks) {
    const Range a = RangeAt(compute_fits, count, floor);
    const Range b = RangeAt(rest_fits, count, floor);
    Extrapolation result;
    result.ranks = count;
    result.time = Unbounded(a.value + b.value);
    result.time.low = a.low + b.low;
    result.time.high = a.high + b.high;
    result.compute_function = a.name;
    result.rest_function = b.name;
    results.push_back(std::move(result));
  }
  return results;
}

Result<MessageProgram> Synthesize(const MessageProgram& program, std::int32_t ranks, bool strong) {
  const std::int32_t known = program.Size();
  if (ranks <= known) {
    return Fail(ErrorKind::kUsage,
                fmt::format("a trace of {} ranks can only be extended to more ranks", known));
  }
  if (known < 2) return Fail(ErrorKind::kUnsupported, "one rank has no pattern of messages");
  const double share = strong ? static_cast<double>(known) / ranks : 1;
  MessageProgram larger;
  larger.ranks.resize(static_cast<std::size_t>(ranks));
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    const std::size_t from = TemplateOf(rank, ranks, known);
    auto& actions = larger.ranks[static_cast<std::size_t>(rank)];
    actions = program.ranks[from];
    for (Action& action : actions) {
      if (action.kind == ActionKind::kCompute) {
        action.amount = static_cast<std::uint64_t>(static_cast<double>(action.amount) * share);
        continue;
      }
      if (action.kind == ActionKind::kWait) continue;
      if (!program.communicators[action.communicator].members.empty()) {
        return Fail(ErrorKind::kUnsupported, "it uses communicators of some ranks only");
      }
      action.communicator = 0;
      if (action.kind == ActionKind::kCollective || action.kind == ActionKind::kStartCollective) {
        if (action.has_list) return Fail(ErrorKind::kUnsupported, "it has an MPI_Alltoallv");
        if (action.peer == known - 1 && known > 1 && action.peer != 0) action.peer = ranks - 1;
        if (!strong) continue;
        if (action.collective == Collective::kAlltoall) {
          action.amount =
              static_cast<std::uint64_t>(static_cast<double>(action.amount) * share * share);
        } else if (action.collective == Collective::kAllgather ||
                   action.collective == Collective::kGather ||
                   action.collective == Collective::kScatter) {
          action.amount = static_cast<std::uint64_t>(static_cast<double>(action.amount) * share);
        }
        continue;
      }
      std::int32_t distance = action.peer - static_cast<std::int32_t>(from);
      if (2 * distance > known) distance -= known;
      if (2 * distance < -known) distance += known;
      action.peer = (rank + distance % ranks + ranks) % ranks;
    }
  }
  // Every message must find its receive.
  Network network = IdealNetwork({});
  network.ranks_per_node = 1;
  const auto tried = Replay(larger, network, {});
  if (!tried || tried->unmatched > 0) {
    return Fail(ErrorKind::kUnsupported,
                "partners of messages do not follow from distances of ranks");
  }
  return larger;
}

}  // namespace tare::replay
