// measurement_interface_test.cc: tests which names belong to measurement tools.
#include "binary/mix/measurement_interface.h"

#include <gtest/gtest.h>

namespace tare::mix {
namespace {

MeasurementInterface Make(const std::string& pattern = "") {
  auto made = MeasurementInterface::Make(pattern);
  EXPECT_TRUE(made);
  return *made;
}

TEST(MeasurementInterface, KnowsWhatCompilersInsert) {
  const auto known = Make();
  EXPECT_EQ(known.OwnerOf("__cyg_profile_func_enter"), "-finstrument-functions");
  EXPECT_EQ(known.OwnerOf("__cyg_profile_func_exit"), "-finstrument-functions");
  EXPECT_EQ(known.OwnerOf("mcount"), "mcount (-pg)");
  EXPECT_EQ(known.OwnerOf("_mcount"), "mcount (-pg)");
  EXPECT_EQ(known.OwnerOf("__fentry__"), "fentry");
  EXPECT_EQ(known.OwnerOf("__sanitizer_cov_trace_pc_guard"), "sanitizer coverage");
  EXPECT_EQ(known.OwnerOf("scorep_enter_region"), "Score-P");
}

TEST(MeasurementInterface, OtherNamesAreNotItsOwn) {
  const auto known = Make();
  EXPECT_FALSE(known.OwnerOf("main"));
  EXPECT_FALSE(known.OwnerOf("mcount_users"));
  EXPECT_FALSE(known.OwnerOf(""));
}

TEST(MeasurementInterface, MoreNamesCanBeGiven) {
  const auto known = Make("^probe_(in|out)$");
  EXPECT_EQ(known.OwnerOf("probe_in"), "from --interface");
  EXPECT_FALSE(known.OwnerOf("probe_inside"));
  EXPECT_TRUE(known.OwnerOf("mcount"));
}

TEST(MeasurementInterface, ABrokenPatternIsAnErrorOfUse) {
  const auto made = MeasurementInterface::Make("(");
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().kind, ErrorKind::kUsage);
}

}  // namespace
}  // namespace tare::mix
