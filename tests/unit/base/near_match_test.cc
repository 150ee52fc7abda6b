// near_match_test.cc: tests that typing errors are recognised and different names are not.
#include "base/near_match.h"

#include <gtest/gtest.h>

#include <array>

namespace tare {
namespace {

constexpr auto kNames = std::to_array<std::string_view>({"doctor", "timer", "load"});

TEST(NearMatch, FindsTypos) {
  EXPECT_EQ(NearMatch("tiemr", kNames), "timer");
  EXPECT_EQ(NearMatch("docter", kNames), "doctor");
  EXPECT_EQ(NearMatch("lod", kNames), "load");
}

TEST(NearMatch, LeavesOtherNamesAlone) {
  EXPECT_EQ(NearMatch("banana", kNames), "");
  EXPECT_EQ(NearMatch("", kNames), "");
  EXPECT_EQ(NearMatch(std::string(100000, 't'), kNames), "");
}

TEST(DidYouMean, EndsASentence) {
  EXPECT_EQ(DidYouMean("timr", kNames), "; did you mean timer?");
  EXPECT_EQ(DidYouMean("banana", kNames), "");
}

TEST(DidYouMean, CompletesTheBeginningOfLongerNames) {
  constexpr auto kMachines =
      std::to_array<std::string_view>({"skylake-client", "skylake-server", "zen2", "zen2"});
  EXPECT_EQ(DidYouMean("skylake", kMachines), "; did you mean skylake-client or skylake-server?");
  EXPECT_EQ(DidYouMean("sk", kMachines), "");
}

}  // namespace
}  // namespace tare
