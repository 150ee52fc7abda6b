// pmac.cc: equation 1, by block.
#include "predict/convolve/pmac.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "base/printable.h"
#include "machine/profile/memory_model.h"

namespace tare::convolve {
namespace {

using machine_profile::Access;
using machine_profile::Curve;
using machine_profile::CurveKey;
using machine_profile::CurveModel;
using machine_profile::Pattern;
using machine_profile::Profile;

constexpr CurveKey kStrideOne = {Access::kLoad, Pattern::kStrided, 1, 8};
constexpr CurveKey kRandom = {Access::kLoad, Pattern::kRandom, 1, 8};

// The times per access of each level, from the measured curve or else from the levels.
Result<CurveModel> ModelOf(const Profile& profile, const CurveKey& key) {
  if (const Curve* curve = profile.FindCurve(key)) {
    if (auto fitted = machine_profile::FitCurve(*curve, profile.levels)) return fitted;
  }
  auto computed = machine_profile::ModelFromLevels(profile.levels, key,
                                                   machine_profile::WidestElement(profile));
  if (computed) return computed;
  return Fail(ErrorKind::kUnsupported,
              fmt::format("{} has no curve '{}', and {}", Printable(profile.name), CurveName(key),
                          computed.error().message));
}

// Shares of references that each level serves.
std::vector<double> Served(const signature::LevelUse& use, double references) {
  std::vector<double> served;
  double nearer = references;
  for (const Measured& misses : use.misses) {
    const double beyond = std::clamp(misses.Value(), 0.0, nearer);
    served.push_back((nearer - beyond) / references);
    nearer = beyond;
  }
  served.push_back(nearer / references);
  return served;
}

double AccessSeconds(const CurveModel& model, const std::vector<double>& served) {
  double seconds = 0;
  for (std::size_t i = 0; i < served.size() && i < model.seconds.size(); ++i) {
    seconds += served[i] * model.seconds[i];
  }
  return seconds;
}

// The size of the point whose hit rates are nearest to those of the block.
double NearestSet(const Profile& profile, const CurveKey& key, const std::vector<double>& served) {
  const Curve* curve = profile.FindCurve(key);
  if (curve == nullptr) return 0;
  double nearest = std::numeric_limits<double>::infinity();
  double bytes = 0;
  for (const machine_profile::CurvePoint& point : curve->points) {
    double distance = 0;
    double hits = 0;
    for (std::size_t i = 0; i < point.hits.size() && i + 1 < served.size(); ++i) {
      hits += served[i];
      distance += (hits - point.hits[i]) * (hits - point.hits[i]);
    }
    if (distance >= nearest) continue;
    nearest = distance;
    bytes = static_cast<double>(point.bytes);
  }
  return bytes;
}

}  // namespace

Result<PmacResult> Pmac(const signature::Signature& signature, const Profile& profile) {
  const Profile with_curves = machine_profile::WithCurves(profile);
  TRY(const CurveModel stride_one, ModelOf(profile, kStrideOne));
  TRY(const CurveModel random, ModelOf(profile, kRandom));
  const signature::Hierarchy hierarchy = signature::HierarchyOf(profile);
  TRY_VOID(signature::Validate(hierarchy));
  const signature::HierarchyModel model(signature.grid, hierarchy, signature.near_exact);
  PmacResult result;
  for (std::size_t part = 0; part < signature.parts.size(); ++part) {
    if (signature.parts[part].thread != 0) continue;
    const auto& blocks = signature.parts[part].blocks;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const auto references = static_cast<double>(blocks[i].References());
      if (!(references > 0)) continue;
      const auto use = model.UseOf(blocks[i]);
      const auto served = Served(use, references);
      PlacedBlock placed{part, i, references, 0, blocks[i].strides.random, 0};
      const double seconds = (1 - placed.random) * AccessSeconds(stride_one, served) +
                             placed.random * AccessSeconds(random, served);
      if (!(seconds > 0)) continue;
      placed.rate = 1 / seconds;
      placed.working_set =
          NearestSet(with_curves, placed.random > 0.5 ? kRandom : kStrideOne, served);
      result.references += references;
      result.harmonic_seconds += references * seconds;
      result.blocks.push_back(placed);
    }
  }
  for (PlacedBlock& block : result.blocks) {
    block.share /= result.references;
    result.metasim += block.share * block.rate;
  }
  std::ranges::stable_sort(result.blocks, std::greater(), &PlacedBlock::share);
  if (result.references > 0) {
    result.seconds = result.references / result.metasim;
    result.harmonic = result.references / result.harmonic_seconds;
  }
  return result;
}

}  // namespace tare::convolve
