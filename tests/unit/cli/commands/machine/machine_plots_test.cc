// machine_plots_test.cc: tests plots of curves, and which curves are selected.
#include "cli/commands/machine/machine_plots.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/machine/profile/example_profile.h"

namespace tare::cli {
namespace {

using machine_profile::ExampleProfile;
using machine_profile::Origin;
using ::testing::ElementsAre;

TEST(BandwidthPlot, MarksTheCachesAndNamesWhatIsProjected) {
  machine_profile::Profile profile = ExampleProfile();
  Measured& rate = profile.curves[0].points[1].rate;
  rate = WithOrigin(Origin::kProjected, rate);
  const report::Series plot = BandwidthPlot(profile);
  EXPECT_TRUE(plot.log_axis && plot.log_values);
  EXPECT_THAT(plot.marks,
              ElementsAre(report::Mark{32768, "L1 32 KiB"}, report::Mark{1048576, "L2 1 MiB"}));
  ASSERT_EQ(plot.lines.size(), 1u);
  EXPECT_EQ(plot.lines[0].name, "load stride 1, 8 B (partly projected)");
  // 2e9 accesses of 8 bytes each.
  EXPECT_DOUBLE_EQ(plot.lines[0].y[0], 16e9);
  EXPECT_DOUBLE_EQ(plot.lines[0].low[0], 15.2e9);
}

TEST(LatencyPlot, InvertsRatesAndTheirBounds) {
  machine_profile::Profile profile = ExampleProfile();
  profile.curves = {{{machine_profile::Access::kLoad, machine_profile::Pattern::kChained, 1, 8},
                     {{4096, machine_profile::Within(1e9, 0.5e9, 2e9), {}}}}};
  const report::Series plot = LatencyPlot(profile);
  EXPECT_DOUBLE_EQ(plot.lines[0].y[0], 1e-9);
  EXPECT_DOUBLE_EQ(plot.lines[0].low[0], 0.5e-9);
  EXPECT_DOUBLE_EQ(plot.lines[0].high[0], 2e-9);
}

TEST(ChooseCurves, TakesCurvesThatHaveAllTheWords) {
  machine_profile::Profile profile = ExampleProfile();
  profile.curves.push_back(
      {{machine_profile::Access::kLoad, machine_profile::Pattern::kStrided, 16, 8}, {}});
  const auto count = [&](const std::vector<std::string>& wishes) {
    const auto curves = ChooseCurves(profile, wishes);
    return curves ? static_cast<int>(curves->size()) : -1;
  };
  EXPECT_EQ(count({"all"}), 3);
  EXPECT_EQ(count({"stride 1"}), 1);
  EXPECT_EQ(count({"load"}), 2);
  EXPECT_EQ(count({"load stride 1, 8 B", "random"}), 2);
  EXPECT_EQ(count({}), 0);
  EXPECT_EQ(count({"load", "sideways"}), -1);
}

}  // namespace
}  // namespace tare::cli
