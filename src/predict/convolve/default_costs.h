// default_costs.h: costs that replace those which a profile lacks; docs/methods/prediction.md has
// their sources.
#pragma once

namespace tare::convolve {

// In cycles. Throughputs and latencies are those of Neoverse N1 and Skylake, which the optimization
// manuals of Arm and Intel agree on to within a cycle where one number is given.
namespace default_cycles {
inline constexpr double kIssue = 1.0 / 4;
inline constexpr double kInteger = 1.0 / 3;
inline constexpr double kMultiply = 1;
inline constexpr double kMultiplyAfter = 3;
inline constexpr double kDivideAfter = 20;
inline constexpr double kVector = 1.0 / 2;
inline constexpr double kVectorAfter = 2;
inline constexpr double kFloat = 1.0 / 2;
inline constexpr double kFloatAfter = 4;
inline constexpr double kFloatDivideAfter = 14;
inline constexpr double kLoad = 1.0 / 2;
inline constexpr double kLoadAfter = 4;
inline constexpr double kStore = 1;
inline constexpr double kStoreAfter = 5;
inline constexpr double kBranch = 1;
inline constexpr double kMisprediction = 14;
inline constexpr double kSecondTlb = 7;
inline constexpr double kWalk = 30;
}  // namespace default_cycles

// How far a cost that was derived from the clock may be off.
inline constexpr double kDerivedSpread = 0.25;
// Figures of levels that a profile lacks follow from those of the nearer level, and may be off by a
// factor of two: each cache takes about four times as long as the one before it and delivers about
// half as much, and memory takes about six times as long as the last cache.
inline constexpr double kCacheLatencies = 4;
inline constexpr double kMemoryLatencies = 6;
inline constexpr double kCacheBandwidths = 0.5;
inline constexpr double kLevelSpread = 2;
// Line fill buffers of Intel's cores from Nehalem to Skylake.
inline constexpr double kDefaultParallel = 10;
// Between caches that serve the core and receive lines at once and those that do not.
inline constexpr double kDefaultExposed = 0.5;
inline constexpr double kDefaultOverlap = 0.8;
inline constexpr double kMinOverlap = 0.5;

// Reorder buffers have 128 (Neoverse N1) to 512 entries (Golden Cove); Skylake and Zen 2 have 224.
inline constexpr double kDefaultWindow = 224;

// The share of wrong paths that do not lead to the lines that the right path needs. Assumed.
inline constexpr double kWrongPathsApart = 0.5;

// Several streams that are loaded together take at least this share of the time that one takes for
// as many lines.
inline constexpr double kMinStreams = 0.25;

}  // namespace tare::convolve
