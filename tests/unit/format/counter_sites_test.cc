// counter_sites_test.cc: tests reading of hand-written counter sites, complete and truncated.
#include "format/counter_sites.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/counters_wire.h"

namespace tare::format {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// The bytes of a section.
class Sites {
 public:
  Sites& Half(std::uint32_t value) {
    for (int i = 0; i < 4; ++i) bytes_.push_back(static_cast<std::byte>(value >> (8 * i)));
    return *this;
  }
  Sites& Site(std::uint32_t slot, std::uint64_t unit) {
    return Half(TARE_SITE_END)
        .Half(slot)
        .Half(static_cast<std::uint32_t>(unit))
        .Half(static_cast<std::uint32_t>(unit >> 32));
  }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

TEST(CounterSites, ASiteHasAsManyInstructionsAsTheCodeGeneratorMadeOfIt) {
  Sites section;
  section.Half(0x100).Site(3, 0x1122334455667788);                       // 20 bytes
  section.Half(0xffffff00).Half(0x10).Site(4 | TARE_SITE_NO_RETURN, 9);  // 24 bytes
  section.Half(1).Half(2).Half(3).Site(0, 9);
  const auto sites = ReadCounterSites(section.bytes(), 0x5000);
  ASSERT_TRUE(sites) << sites.error().message;
  ASSERT_EQ(sites->size(), 3U);
  EXPECT_THAT((*sites)[0].addresses, ElementsAre(0x5100));
  EXPECT_EQ((*sites)[0].slot, 3U);
  EXPECT_EQ((*sites)[0].flags, 0U);
  EXPECT_EQ((*sites)[0].unit, 0x1122334455667788U);
  // Each offset is relative to its own address.
  EXPECT_THAT((*sites)[1].addresses, ElementsAre(0x5014 - 0x100, 0x5018 + 0x10));
  EXPECT_EQ((*sites)[1].slot, 4U);
  EXPECT_EQ((*sites)[1].flags, TARE_SITE_NO_RETURN);
  EXPECT_THAT((*sites)[2].addresses, ElementsAre(0x502d, 0x5032, 0x5037));
}

TEST(CounterSites, AnEmptySectionHasNone) {
  const auto sites = ReadCounterSites({}, 0x5000);
  ASSERT_TRUE(sites);
  EXPECT_THAT(*sites, IsEmpty());
}

TEST(CounterSites, ACutOneIsRefusedAtEveryByte) {
  Sites section;
  section.Half(0x100).Half(0x104).Site(3, 7);
  for (std::size_t bytes = 1; bytes < section.bytes().size(); ++bytes) {
    const auto sites = ReadCounterSites(section.bytes().first(bytes), 0x5000);
    ASSERT_FALSE(sites) << bytes;
    EXPECT_EQ(sites.error().kind, ErrorKind::kFormat);
  }
}

TEST(CounterSites, OneWithoutAnInstructionIsRefused) {
  Sites section;
  section.Half(0x100).Site(3, 7).Site(4, 7);
  const auto sites = ReadCounterSites(section.bytes(), 0x5000);
  ASSERT_FALSE(sites);
  EXPECT_EQ(sites.error().kind, ErrorKind::kFormat);
}

}  // namespace
}  // namespace tare::format
