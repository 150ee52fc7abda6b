// native_inputs_test.cc: tests that dates and random numbers are fixed and varied.
#include "analysis/why/native_inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "machine/host/engine_files.h"
#include "tests/unit/measure/run/test_programs.h"

namespace tare::why {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::Ge;
using testing::IsEmpty;
using testing::Lt;

class NativeInputsTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!library_) GTEST_SKIP() << "the library is not built";
    auto inputs = NativeInputs::Open(*library_);
    ASSERT_TRUE(inputs) << inputs.error().message;
    inputs_.emplace(std::move(*inputs));
  }

  // What the program prints at these levels.
  std::string Printed(const std::string& what, const Levels& levels) const {
    run::Setting setting = run::Captured();
    EXPECT_TRUE(inputs_->Fix(setting));
    EXPECT_TRUE(inputs_->Apply(levels, setting));
    EXPECT_TRUE(inputs_->Begin());
    const run::Finished finished = run::RunIt("read_inputs " + what, setting);
    EXPECT_EQ(finished.ended.ShellStatus(), 0) << finished.errors;
    return finished.output;
  }

  std::vector<long> Dates(unsigned level) const {
    std::istringstream text(Printed("date", {{Factor::kTime, level}}));
    std::vector<long> dates;
    for (long date = 0; text >> date;) dates.push_back(date);
    return dates;
  }

  const std::optional<std::filesystem::path> library_ =
      host::FindEngineFiles(TARE_BINARY_DIR "/tare", {}).inputs_library;
  std::optional<NativeInputs> inputs_;
};

TEST_F(NativeInputsTest, RandomNumbersFollowFromTheLevel) {
  const std::string fixed = Printed("random", {});
  EXPECT_FALSE(fixed.empty());
  EXPECT_EQ(Printed("random", {}), fixed);
  const std::string other = Printed("random", {{Factor::kRandom, 1}});
  EXPECT_NE(other, fixed);
  EXPECT_EQ(Printed("random", {{Factor::kRandom, 1}}), other);
  EXPECT_EQ(Printed("random", {{Factor::kTime, 1}}), fixed);
}

// All functions give the same date, which begins anew with every run.
TEST_F(NativeInputsTest, TheDateStartsAtTheLevel) {
  constexpr long kStep = 4271;
  const std::vector<long> first = Dates(0);
  ASSERT_EQ(first.size(), 3U);
  const long start = first[0];
  for (const unsigned level : {0U, 1U, 3U}) {
    const long wanted = start + kStep * static_cast<long>(level);
    EXPECT_THAT(Dates(level), Each(AllOf(Ge(wanted - 1), Lt(wanted + kStep / 2)))) << level;
  }
}

TEST_F(NativeInputsTest, NoticesWhatIsRequested) {
  Printed("date", {});
  EXPECT_THAT(*inputs_->Requested(), ElementsAre(Field(&FactorLevels::factor, Factor::kTime)));
  Printed("random", {});
  EXPECT_THAT(*inputs_->Requested(), ElementsAre(Field(&FactorLevels::factor, Factor::kRandom)));
  Printed("none", {});
  EXPECT_THAT(*inputs_->Requested(), IsEmpty());
}

TEST_F(NativeInputsTest, EnvironmentsOfAllLevelsHaveOneSize) {
  run::Setting setting;
  ASSERT_TRUE(inputs_->Fix(setting));
  const auto bytes = [](const run::Setting& with) {
    return run::BlockBytes(
        *run::MakeEnvironment(with.environment, run::InheritedEnvironment(), std::nullopt));
  };
  const std::size_t fixed = bytes(setting);
  ASSERT_TRUE(inputs_->Apply({{Factor::kTime, 15}, {Factor::kRandom, 16}}, setting));
  EXPECT_EQ(bytes(setting), fixed);
}

}  // namespace
}  // namespace tare::why
