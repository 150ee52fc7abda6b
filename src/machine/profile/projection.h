// projection.h: a machine that does not exist, made from one that does by changing its levels.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "machine/profile/level_field.h"
#include "machine/profile/machine_profile.h"
#include "machine/profile/memory_model.h"

namespace tare::machine_profile {

// One wish, as it was written.
struct Change {
  enum class Kind {
    kSet,     // "L2.bytes=2MiB", "memory.latency=60ns", "L1.load=50GB/s"
    kScale,   // "memory.bandwidth=x2"
    kClock,   // "clock=x1.2": caches and operations go faster, memory does not
    kAdd,     // "add L3 bytes=32MiB ways=16 latency=20ns bandwidth=30GB/s"
    kRemove,  // "remove L3"
  };
  Kind kind = Kind::kSet;
  std::string level;
  LevelField field = LevelField::kBytes;
  double value = 0;  // in bytes, ways, seconds, bytes per second; the factor of a scale
  Level added;       // of kAdd
  std::string text;
};

// Names the forms that are understood when it understands none.
Result<Change> ParseChange(std::string_view text);

// What came of it, and how far it can be trusted.
struct Projection {
  Profile profile;
  std::vector<CurveModel> before;  // of each curve that was rebuilt
  std::vector<CurveModel> after;
  std::vector<std::string> kept;  // curves that could not be rebuilt, with the reason
};

// Applies the changes in their order. Curves are rebuilt from the fitted times of the levels: a
// point whose computed time is not changed stays as it is, every other one is projected, with an
// interval of its model's usual error. Refuses unknown levels and machines that cannot be.
Result<Projection> Project(const Profile& profile, std::span<const Change> changes,
                           std::string_view name);

}  // namespace tare::machine_profile
