// buffer_test.cc: memory of the wanted pages.
#include "kernels/buffer.h"

#include <gtest/gtest.h>

namespace tare::kernels {
namespace {

TEST(Pages, NamesReadBack) {
  for (const Pages pages : {Pages::kSystem, Pages::kSmall, Pages::kHuge}) {
    EXPECT_EQ(ParsePages(Name(pages)), pages);
  }
  EXPECT_EQ(ParsePages("enormous"), std::nullopt);
}

}  // namespace
}  // namespace tare::kernels
