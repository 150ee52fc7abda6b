// builds_test.cc: tests what is passed to the build command, and the errors when it fails.
#include "analysis/perturb/builds.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/private_directory.h"

namespace tare::perturb {
namespace {

using testing::HasSubstr;

class Building : public testing::Test {
 protected:
  Building() : directory_(*PrivateDirectory::MakeOnDisk()) {}

  std::filesystem::path Product() const { return directory_.path() / "program"; }

  Builds With(const std::string& command) const {
    return *Builds::Make({.command = command,
                          .product = Product(),
                          .metrics = directory_.path() / "metrics.toml",
                          .interrupted = {}});
  }

  // A build command that writes what it was passed; a number makes each output different.
  std::string Telling() const {
    return fmt::format(
        R"(sleep 0.02; printf '%s|%s|%s' "$TARE_METRICS" "$TARE_ONLY" "$TARE_PLACEMENT" > {})",
        Product().string());
  }

  std::string Error(const std::string& command) const {
    auto builds = With(command);
    const auto made = builds.With({"a"});
    return made ? "accepted" : made.error().message;
  }

  PrivateDirectory directory_;
};

TEST_F(Building, TheCommandGetsTheMetricsToCount) {
  auto builds = With(Telling());
  const auto none = builds.With({});
  ASSERT_TRUE(none) << none.error().message;
  EXPECT_EQ(ReadFile(*none, 1000).value(), "||");
  const auto two = builds.With({"b c", "a"});
  ASSERT_TRUE(two) << two.error().message;
  EXPECT_EQ(ReadFile(*two, 1000).value(),
            (directory_.path() / "metrics.toml").string() + "|a\nb c|");
  EXPECT_EQ(two->filename(), "program");
  EXPECT_EQ(two->string().size(), none->string().size());
  EXPECT_EQ(ReadFile(*none, 1000).value(), "||") << "a copy of each is kept";
}

TEST_F(Building, PlacesOfCodeAreBuildsOfTheirOwn) {
  auto builds = With(Telling());
  const auto first = builds.With({}, 7);
  const auto second = builds.With({}, 8);
  ASSERT_TRUE(first);
  ASSERT_TRUE(second);
  EXPECT_EQ(ReadFile(*first, 1000).value(), "||7");
  EXPECT_EQ(ReadFile(*second, 1000).value(), "||8");
}

TEST_F(Building, NoSetIsBuiltTwice) {
  auto builds =
      With(fmt::format("echo x >> {}; {}", (directory_.path() / "log").string(), Telling()));
  ASSERT_TRUE(builds.With({"a"}));
  ASSERT_TRUE(builds.With({"b"}));
  ASSERT_TRUE(builds.With({"a"}));
  EXPECT_EQ(ReadFile(directory_.path() / "log", 1000).value(), "x\nx\n");
}

TEST_F(Building, FailuresAreShownWithWhatWasPrinted) {
  EXPECT_EQ(Error("echo useless; echo 'no rule to make' >&2; exit 3"),
            "--build failed with exit status 3: no rule to make");
  EXPECT_THAT(Error("true"), HasSubstr("--build did not create "));
}

TEST_F(Building, AProductThatStaysAsItWasIsNoneOfTheseMetrics) {
  ASSERT_TRUE(WriteFileAtomically(Product(), "old"));
  EXPECT_THAT(Error("true"), HasSubstr("must start with make clean"));
}

TEST_F(Building, ItCanBeStopped) {
  auto builds = *Builds::Make(
      {.command = "sleep 30", .product = Product(), .metrics = "m", .interrupted = [] {
         return true;
       }});
  const auto made = builds.With({});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().kind, ErrorKind::kInterrupted);
}

}  // namespace
}  // namespace tare::perturb
