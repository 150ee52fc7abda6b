// images_test.cc: tests looking up addresses of the C library that this test runs with.
#include "measure/count/images.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <string>

namespace tare::count {
namespace {

std::string LibraryPath() {
  Dl_info info{};
  return dladdr(reinterpret_cast<void*>(&std::puts), &info) != 0 ? info.dli_fname : "";
}

TEST(Images, FindTheFunctionOfAnAddress) {
  Images images;
  const auto* const image = images.Open(LibraryPath());
  ASSERT_NE(image, nullptr);
  const auto puts = image->FindFunction("puts");
  ASSERT_TRUE(puts);
  const auto offset = image->FileOffsetOf(puts->start);
  ASSERT_TRUE(offset);
  const Place* const first = images.At(LibraryPath(), *offset);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->start, puts->start);
  EXPECT_FALSE(first->dispatched);
  EXPECT_FALSE(first->queries_processor);
  // Every address of a function gives the same entry, and a second lookup the same object.
  EXPECT_EQ(images.At(LibraryPath(), *offset + 4), first);
}

TEST(Images, KnowTheVariantsOfMemcpy) {
  Images images;
  const auto* const image = images.Open(LibraryPath());
  ASSERT_NE(image, nullptr);
  const auto all = image->IfuncCandidates();
  const auto memcpy = std::ranges::find_if(
      all, [](const auto& dispatch) { return dispatch.name.starts_with("memcpy"); });
  if (memcpy == all.end()) GTEST_SKIP() << "this C library does not dispatch memcpy";
  ASSERT_FALSE(memcpy->candidates.empty());
  for (const std::uint64_t start : memcpy->candidates) {
    const auto offset = image->FileOffsetOf(start);
    ASSERT_TRUE(offset);
    const Place* const place = images.At(LibraryPath(), *offset);
    ASSERT_NE(place, nullptr);
    EXPECT_TRUE(place->dispatched) << place->function;
    EXPECT_FALSE(place->dispatched_name.empty());
  }
}

TEST(Images, SayUnknownWhereThereIsNoFunction) {
  Images images;
  const Place* const place = images.At(LibraryPath(), std::uint64_t{1} << 40);
  ASSERT_NE(place, nullptr);
  EXPECT_EQ(place->function, "[unknown]");
}

TEST(Images, GiveNothingForNonPrograms) {
  Images images;
  EXPECT_EQ(images.At("/nowhere/program", 0), nullptr);
  EXPECT_EQ(images.Open("/dev/null"), nullptr);
}

}  // namespace
}  // namespace tare::count
