// clone_name_test.cc: tests names of function copies and parts.
#include "binary/code/clone_name.h"

#include <gtest/gtest.h>

namespace tare::code {
namespace {

TEST(BaseName, EndingsOfCompilersGo) {
  EXPECT_EQ(BaseName("foo.isra.0"), "foo");
  EXPECT_EQ(BaseName("foo.constprop.2.cold"), "foo");
  EXPECT_EQ(BaseName("_ZN1a1bEv.part.0.isra.12"), "_ZN1a1bEv");
  EXPECT_EQ(BaseName("foo.llvm.1234567890"), "foo");
  EXPECT_EQ(BaseName("foo.cold"), "foo");
  EXPECT_EQ(BaseName("foo.lto_priv.3"), "foo");
  EXPECT_EQ(BaseName("main._omp_fn.0"), "main");
}

TEST(BaseName, OtherNamesStay) {
  EXPECT_EQ(BaseName("foo"), "foo");
  EXPECT_EQ(BaseName("foo.bar"), "foo.bar");
  EXPECT_EQ(BaseName("foo.12"), "foo.12");  // a static of that name, not a copy
  EXPECT_EQ(BaseName(".cold"), ".cold");
  EXPECT_EQ(BaseName(""), "");
  EXPECT_EQ(BaseName("runtime.main"), "runtime.main");
}

TEST(IsSplitPart, KnowsColdCodeOnly) {
  EXPECT_TRUE(IsSplitPart("foo.cold"));
  EXPECT_TRUE(IsSplitPart("foo.isra.0.cold"));
  EXPECT_TRUE(IsSplitPart("foo.cold.2"));
  EXPECT_FALSE(IsSplitPart("foo.part.0"));
  EXPECT_FALSE(IsSplitPart("foo.coldest"));
  EXPECT_FALSE(IsSplitPart("foo"));
}

}  // namespace
}  // namespace tare::code
