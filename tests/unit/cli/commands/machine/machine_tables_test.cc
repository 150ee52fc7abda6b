// machine_tables_test.cc: tests profiles as tables, in which every number that was not measured is
// marked.
#include "cli/commands/machine/machine_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/names.h"
#include "tests/unit/machine/profile/example_profile.h"

namespace tare::cli {
namespace {

using machine_profile::ExampleProfile;
using machine_profile::Origin;
using machine_profile::Plain;
using machine_profile::Within;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Measured& MeasuredAt(const report::Table& table, std::size_t row, std::size_t column) {
  return std::get<Measured>(table.rows.at(row).at(column));
}

std::vector<std::string> ColumnNames(const report::Table& table) {
  std::vector<std::string> names;
  for (const report::Column& column : table.columns) names.push_back(column.name);
  return names;
}

TEST(FigureCell, CarriesIntervalAndVerdictOfWhatWasMeasured) {
  Measured figure = Within(10, 9, 11);
  EXPECT_EQ(FigureCell(figure, "s"), WithUnit("s", Between(10.0, 9, 11, 0.95)));
  figure.verdict = Verdict::kDoubtful;
  figure.reason = "wide";
  EXPECT_EQ(FigureCell(figure).reason, "wide");
}

TEST(FigureCell, WhatWasNotMeasuredIsDoubtfulAndSaysWhy) {
  for (const Origin origin :
       {Origin::kReported, Origin::kPublished, Origin::kGiven, Origin::kProjected}) {
    const Measured cell = FigureCell(Plain(1, origin));
    EXPECT_EQ(cell.verdict, Verdict::kDoubtful) << Name(origin);
    EXPECT_THAT(cell.reason, HasSubstr("not measured"));
    EXPECT_EQ(cell.source, Name(origin));
  }
  EXPECT_THAT(FigureCell(Plain(1, Origin::kProjected)).reason, HasSubstr("projected"));
  EXPECT_EQ(FigureCell(Plain(1)).verdict, Verdict::kValid);
}

TEST(FigureCell, AnIntervalWithoutWidthIsExact) {
  const Measured cell = FigureCell(Within(4, 4, 4));
  EXPECT_TRUE(cell.exact);
  EXPECT_FALSE(cell.low);
}

TEST(WholeCell, ZeroIsNotKnown) {
  EXPECT_TRUE(std::holds_alternative<std::monostate>(WholeCell(0, Origin::kMeasured)));
  EXPECT_EQ(std::get<Measured>(WholeCell(8, Origin::kPublished)).verdict, Verdict::kDoubtful);
  EXPECT_EQ(std::get<Measured>(WholeCell(8, Origin::kPublished)).source, "published");
}

TEST(LevelTable, MarksEachNumberByItsOwnOrigin) {
  machine_profile::Profile profile = ExampleProfile();
  profile.levels[1].origin = Origin::kProjected;
  const report::Table table = LevelTable(profile);
  EXPECT_THAT(ColumnNames(table),
              ElementsAre("level", "capacity", "line", "ways", "threads", "latency"));
  EXPECT_EQ(MeasuredAt(table, 0, 1).verdict, Verdict::kValid);
  EXPECT_EQ(MeasuredAt(table, 1, 1).verdict, Verdict::kDoubtful);
  EXPECT_EQ(MeasuredAt(table, 1, 5).verdict, Verdict::kValid);
}

TEST(DiscoveredTable, HasTheColumnsThatScriptsRelyOn) {
  machine_profile::Profile profile = ExampleProfile();
  profile.discovered.push_back(
      {"L3 capacity", "B", Within(20 << 20, 16 << 20, 24 << 20), "", 32.0 * (1 << 20)});
  const report::Table table = DiscoveredTable(profile);
  EXPECT_EQ(table.id, "discovered");
  EXPECT_THAT(ColumnNames(table), ElementsAre("what", "measured", "reported"));
  EXPECT_EQ(MeasuredAt(table, 1, 1).reason, "the curve has no step");
  EXPECT_FALSE(MeasuredAt(table, 1, 1).value);
  EXPECT_EQ(MeasuredAt(table, 2, 1).verdict, Verdict::kDoubtful);
  EXPECT_EQ(MeasuredAt(table, 2, 1).unit, "B");
}

TEST(CurveTable, HasHitsOfEachCacheForPrograms) {
  const machine_profile::Profile profile = ExampleProfile();
  const std::vector<const machine_profile::Curve*> curves = {&profile.curves[0]};
  const report::Table whole = CurveTable(profile, curves, true);
  EXPECT_THAT(ColumnNames(whole),
              ElementsAre("curve", "bytes", "rate", "origin", "hits_l1", "hits_l2"));
  EXPECT_EQ(AsDouble(*MeasuredAt(whole, 1, 4).value), 0.875);
  EXPECT_EQ(CurveTable(profile, curves, false).columns.size(), 3u);
}

TEST(HitTable, HasAPointForEachDoubling) {
  machine_profile::Profile profile = ExampleProfile();
  machine_profile::Curve& curve = profile.curves[0];
  curve.points.clear();
  for (std::uint64_t bytes = 1024; bytes <= 8192; bytes += 512) {
    curve.points.push_back({bytes, Plain(1e9), {1, 1}});
  }
  const std::vector<const machine_profile::Curve*> curves = {&curve};
  const report::Table table = HitTable(profile, curves);
  EXPECT_EQ(table.rows.size(), 4u);
  for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size());
}

TEST(CaveatsOf, StatesNoiseDisagreementAndOrigin) {
  const auto ids = [](const machine_profile::Profile& profile) {
    std::vector<CaveatId> all;
    for (const Caveat& caveat : CaveatsOf(profile)) all.push_back(caveat.key);
    return all;
  };
  machine_profile::Profile profile = ExampleProfile();
  EXPECT_THAT(ids(profile), ElementsAre(CaveatId::kWideIntervals));
  EXPECT_EQ(CaveatsOf(profile)[0].detail, "1 of 3 points");
  profile.conditions["noisy"] = "8 % went elsewhere";
  EXPECT_THAT(ids(profile), ElementsAre(CaveatId::kNoisyMachine));
  profile.conditions.erase("noisy");
  profile.curves.clear();
  EXPECT_TRUE(ids(profile).empty());
  profile.discovered[0].reported = 65536;
  EXPECT_THAT(ids(profile), ElementsAre(CaveatId::kNotAsReported));
  EXPECT_EQ(CaveatsOf(profile)[0].detail, "L1 capacity: 32 KiB, reported 64 KiB");
  profile.discovered.clear();
  profile.origin = Origin::kPublished;
  EXPECT_THAT(ids(profile), ElementsAre(CaveatId::kPublished));
  profile.origin = Origin::kProjected;
  EXPECT_THAT(ids(profile), ElementsAre(CaveatId::kProjected));
}

}  // namespace
}  // namespace tare::cli
