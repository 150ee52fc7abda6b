// machine_profile.cc: lookups in a profile.
#include "machine/profile/machine_profile.h"

#include <algorithm>
#include <cmath>

namespace tare::machine_profile {

bool Discovery::Disagrees() const {
  if (!measured || !reported) return false;
  if (measured->low && measured->high) {
    return *reported < *measured->low || *reported > *measured->high;
  }
  return measured->Value() != *reported;
}

const Curve* Profile::FindCurve(const CurveKey& key) const {
  const auto found = std::ranges::find(curves, key, &Curve::key);
  return found == curves.end() ? nullptr : &*found;
}

const Rate* Profile::FindRate(std::string_view rate) const {
  const auto found = std::ranges::find(rates, rate, &Rate::name);
  return found == rates.end() ? nullptr : &*found;
}

}  // namespace tare::machine_profile
