// variants_test.cc: tests relinking a program with other layouts and orders.
#include "analysis/why/variants.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "base/file.h"
#include "machine/host/installed_program.h"
#include "measure/run/process.h"

namespace tare::why {
namespace {

class Linking : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"first", "second", "third"}) {
      const auto source = directory_.path() / (std::string(name) + ".c");
      std::ofstream(source) << "int " << name << "(void) { return 1; }\n"
                            << (name == std::string("third") ? "int main(void) { return 7; }\n"
                                                             : "");
      const auto object = directory_.path() / (std::string(name) + ".o");
      const auto done = host::RunBriefly("/usr/bin/cc", {"-c", source, "-o", object});
      if (!done || done->exit_status != 0) GTEST_SKIP() << "there is no C compiler";
      request_.objects.push_back(object);
    }
    request_.linker = {"cc"};
    request_.program = *run::Resolve({{"/bin/true"}});
  }

  PrivateDirectory directory_ = *PrivateDirectory::Make();
  VariantRequest request_;
};

TEST_F(Linking, EveryOrderOfThreeObjectsIsLinkedOnce) {
  const auto variants = Variants::Make(request_);
  ASSERT_TRUE(variants) << variants.error().message;
  ASSERT_EQ(variants->Factors().size(), 1);
  EXPECT_EQ(variants->Factors()[0].levels, 5);
  std::set<std::string> contents;
  for (unsigned level = 0; level <= 5; ++level) {
    const Levels levels = level == 0 ? Levels{} : Levels{{Factor::kLinkOrder, level}};
    const Variant& variant = variants->At(levels);
    contents.insert(*ReadFile(variant.program.path, 1 << 24));
    EXPECT_EQ(run::RunProgram(variant.program, {})->ended.exit_status, 7);
    EXPECT_LE(variant.program.path.string().size(), variants->Argv0Length());
  }
  EXPECT_EQ(contents.size(), 6);
}

TEST_F(Linking, TheRegionIsFoundInEachFile) {
  request_.region = "second";
  const auto variants = Variants::Make(request_);
  ASSERT_TRUE(variants) << variants.error().message;
  std::set<std::uint64_t> offsets;
  for (unsigned level = 1; level <= 5; ++level) {
    const Variant& variant = variants->At({{Factor::kLinkOrder, level}});
    ASSERT_TRUE(variant.region);
    EXPECT_EQ(variant.region->file, variant.program.path.string());
    offsets.insert(variant.region->offset);
  }
  EXPECT_GT(offsets.size(), 1);
}

TEST_F(Linking, ALinkerThatFailsIsQuoted) {
  request_.objects.push_back(directory_.path() / "missing.o");
  const auto variants = Variants::Make(request_);
  ASSERT_FALSE(variants);
  EXPECT_NE(variants.error().message.find("missing.o"), std::string::npos)
      << variants.error().message;
}

TEST_F(Linking, OneObjectHasNoOrder) {
  request_.objects.resize(1);
  EXPECT_FALSE(Variants::Make(request_));
}

TEST_F(Linking, TheOtherLinkingMustBeAProgram) {
  request_.objects.clear();
  request_.other_linking = directory_.path() / "first.c";
  EXPECT_FALSE(Variants::Make(request_));
  request_.other_linking = "/bin/false";
  const auto variants = Variants::Make(request_);
  ASSERT_TRUE(variants) << variants.error().message;
  EXPECT_EQ(variants->At({{Factor::kStatic, 1}}).program.path.filename(), "false");
}

}  // namespace
}  // namespace tare::why
