// projection.h: a hypothetical machine, derived from a real one by changing its memory levels.
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

// What can be changed about a TLB.
enum class TlbField { kEntries, kPage, kMiss };

// One change, parsed.
struct Change {
  enum class Kind {
    kSet,     // "L2.bytes=2MiB", "memory.latency=60ns", "L1.load=50GB/s"
    kScale,   // "memory.bandwidth=x2"
    kClock,   // "clock=x1.2": caches and operations get faster, memory does not
    kAdd,     // "add L3 bytes=32MiB ways=16 latency=20ns bandwidth=30GB/s"
    kRemove,  // "remove L3"
    kTlb,     // "TLB.entries=512", "TLB2.miss=20ns", "TLB1.page=64KiB"
  };
  Kind kind = Kind::kSet;
  std::string level;  // or TLB: "TLB1" is "TLB 1", and "TLB" the last one
  TlbField tlb_field = TlbField::kEntries;
  LevelField field = LevelField::kBytes;
  double value = 0;  // in bytes, ways, entries, seconds, bytes per second; the factor of kScale
  Level added;       // for kAdd
  std::string text;
};

// The error lists the supported forms.
Result<Change> ParseChange(std::string_view text);

// The result, and how far it can be trusted.
struct Projection {
  Profile profile;
  std::vector<CurveModel> before;  // of each rebuilt curve
  std::vector<CurveModel> after;
  std::vector<std::string> kept;  // curves that could not be rebuilt, with the reason
};

// Applies the changes in order. Curves are rebuilt from the fitted times of the levels: a point
// whose computed time is unchanged stays as it is; every other point is projected, with its model's
// usual error as interval. Rejects unknown levels and impossible machines.
Result<Projection> Project(const Profile& profile, std::span<const Change> changes,
                           std::string_view name);

// The same machine without curves, which take most of the time. Copies no curve of `profile`.
Result<Profile> ProjectLevels(const Profile& profile, std::span<const Change> changes,
                              std::string_view name);

// A copy without curves, graphs and discovered values.
Profile WithoutCurves(const Profile& profile);

}  // namespace tare::machine_profile
