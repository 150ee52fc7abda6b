// machine_report_test.cc: tests the document of a profile, as text and as data.
#include "cli/commands/machine/machine_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/names.h"
#include "tests/unit/machine/profile/example_profile.h"

namespace tare::cli {
namespace {

using machine_profile::ExampleProfile;
using ::testing::Contains;
using ::testing::Not;

report::Document DocumentOf(const machine_profile::Profile& profile, bool machine_readable,
                            const ProfileView& view = {}) {
  auto document = ProfileDocument(profile, view, machine_readable);
  EXPECT_TRUE(document) << document.error().message;
  return document.value_or(report::Document{});
}

std::vector<std::string> IdsOf(const report::Document& document) {
  std::vector<std::string> ids;
  for (const report::Block& block : document.blocks) {
    ids.push_back(std::visit([](const auto& part) { return part.id; }, block));
  }
  return ids;
}

TEST(ProfileDocument, PeopleSeeThePictureFirstAndProgramsAll) {
  const auto people = DocumentOf(ExampleProfile(), false);
  EXPECT_EQ(IdsOf(people).front(), "bandwidth");
  EXPECT_THAT(IdsOf(people), Not(Contains("curves")));
  EXPECT_THAT(IdsOf(people), Contains("more"));
  const auto programs = DocumentOf(ExampleProfile(), true);
  for (const char* id : {"bandwidth", "levels", "level_rates", "latency", "rates", "discovered",
                         "tlbs", "curves", "about", "graph_1_latency_under_load"}) {
    EXPECT_THAT(IdsOf(programs), Contains(id));
  }
}

TEST(ProfileDocument, KeepsTheContractOnNames) {
  machine_profile::Profile profile = ExampleProfile();
  profile.levels[0].name = "L1 (Daten, ü)";
  for (const bool machine_readable : {false, true}) {
    EXPECT_EQ(report::NameFault(DocumentOf(profile, machine_readable, {{"all"}, true})), "");
  }
}

TEST(ProfileDocument, SaysWhyThereIsNoPicture) {
  machine_profile::Profile profile = ExampleProfile();
  profile.curves.clear();
  for (machine_profile::Level& level : profile.levels) {
    level.load.reset();
    level.store.reset();
    level.latency.reset();
  }
  const auto document = DocumentOf(profile, false);
  EXPECT_EQ(IdsOf(document).front(), "no_curves");
}

}  // namespace
}  // namespace tare::cli
