// machine_profile_fuzz.cc: every profile that parses survives a round trip, and can be completed,
// projected and compared.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/check.h"
#include "machine/profile/memory_model.h"
#include "machine/profile/profile_comparison.h"
#include "machine/profile/profile_edit.h"
#include "machine/profile/profile_file.h"
#include "machine/profile/profile_validity.h"
#include "machine/profile/projection.h"

namespace {

using namespace tare::machine_profile;

void CheckProjection(const Profile& profile, std::string_view text) {
  const auto change = ParseChange(text);
  CHECK(change.has_value());
  const auto projected = Project(profile, std::span(&*change, 1), "projected");
  if (!projected) return;
  for (const Curve& curve : projected->profile.curves) {
    for (const CurvePoint& point : curve.points) {
      CHECK(std::isfinite(point.rate.Value()) && point.rate.Value() > 0);
      CHECK(point.hits.size() + 1 == projected->profile.levels.size());
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // The same bytes also serve as text that users write.
  const std::string line(text.substr(0, 200));
  if (const auto change = ParseChange(line)) CHECK(change->text == line);
  (void)Edit({}, std::span(&line, 1));
  const auto profile = ParseProfile(text);
  if (!profile) return 0;
  const std::string written = FormatProfile(*profile);
  const auto again = ParseProfile(written);
  CHECK(again.has_value());
  CHECK(FormatProfile(*again) == written);
  const Comparison comparison = Compare(*profile, *again);
  CHECK(comparison.agree == comparison.compared);
  // Models run only on a realistic number of points; more would only be slower.
  constexpr std::size_t kMaxPoints = 4096;
  std::size_t points = 0;
  for (const Curve& curve : profile->curves) points += curve.points.size();
  if (points > kMaxPoints) return 0;
  CHECK(RequirePossible(WithCurves(*profile)).has_value());
  CheckProjection(*profile, "memory.latency=x0.5");
  CheckProjection(*profile, "L2.bytes=x2");
  CheckProjection(*profile, "add L9 bytes=64MiB latency=40ns bandwidth=20GB/s");
  return 0;
}
