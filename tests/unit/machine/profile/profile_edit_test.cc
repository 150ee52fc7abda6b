// profile_edit_test.cc: tests setting single values by hand.
#include "machine/profile/profile_edit.h"

#include <gtest/gtest.h>

#include "tests/unit/machine/profile/example_profile.h"

namespace tare::machine_profile {
namespace {

Result<Profile> Edited(std::vector<std::string> assignments) {
  return Edit(ExampleProfile(), assignments);
}

std::string Refusal(std::string assignment) {
  const auto edited = Edited({std::move(assignment)});
  return edited ? "it was done" : edited.error().message;
}

TEST(Edit, SetsTextTopologyAndConditions) {
  const auto edited = Edited({"name=other", "source=me = you", "topology.cores=3",
                              "topology.memory=8GiB", "conditions.room=warm", "conditions.core="});
  ASSERT_TRUE(edited) << edited.error().message;
  EXPECT_EQ(edited->name, "other");
  EXPECT_EQ(edited->source, "me = you");
  EXPECT_EQ(edited->topology.cores, 3u);
  EXPECT_EQ(edited->topology.memory_bytes, std::uint64_t{8} << 30);
  EXPECT_EQ(edited->conditions.at("room"), "warm");
  EXPECT_FALSE(edited->conditions.contains("core"));
}

TEST(Edit, SetsFiguresAsGivenAndLeavesCurvesAlone) {
  const auto edited = Edited({"L2.latency=6ns", "L1.ways=4", "memory.bandwidth=12GB/s",
                              "rate.fp64 fused vector=70e9 flop/s"});
  ASSERT_TRUE(edited) << edited.error().message;
  EXPECT_DOUBLE_EQ(Real(edited->levels[1].latency), 6e-9);
  EXPECT_EQ(OriginOf(edited->levels[1].latency.value_or(Measured{})), Origin::kGiven);
  EXPECT_EQ(edited->levels[0].ways, 4u);
  EXPECT_EQ(edited->levels[0].origin, Origin::kGiven);
  EXPECT_EQ(edited->levels[2].store, Plain(12e9, Origin::kGiven));
  EXPECT_EQ(edited->FindRate("fp64 fused vector")->figure, Plain(70e9, Origin::kGiven));
  EXPECT_EQ(edited->curves, ExampleProfile().curves);
}

TEST(Edit, AddsARateWithItsUnit) {
  const auto edited = Edited({"rate.integer add=9e9 op/s"});
  ASSERT_TRUE(edited) << edited.error().message;
  EXPECT_EQ(edited->FindRate("integer add")->unit, "op/s");
}

TEST(Edit, SaysWhatItDoesNotKnow) {
  EXPECT_EQ(Refusal("L2"), "'L2' is not FIELD=VALUE");
  EXPECT_EQ(Refusal("nam=x"), "a profile has no 'nam'; did you mean name?");
  EXPECT_EQ(Refusal("L4.ways=2"), "there is no level 'L4'; did you mean L1?");
  EXPECT_EQ(Refusal("topology.core=2"), "the topology has no 'core'; did you mean cores?");
  EXPECT_EQ(Refusal("topology.cores=many"), "invalid value for topology.cores: 'many'");
  EXPECT_EQ(Refusal("rate.triads=2"), "there is no rate 'triads'; did you mean triad?");
  EXPECT_EQ(Refusal("rate.triad=2 flop/s"), "the rate 'triad' is in B/s, not in flop/s");
  EXPECT_EQ(Refusal("rate.triad=-2"), "invalid value for the rate 'triad': '-2'");
}

TEST(Edit, RefusesAnImpossibleMachine) {
  EXPECT_EQ(
      Refusal("L1.bytes=4MiB"),
      "the edited profile is invalid: levels[1].bytes: L2 with 1 MiB is not larger than L1 with "
      "4 MiB");
}

}  // namespace
}  // namespace tare::machine_profile
