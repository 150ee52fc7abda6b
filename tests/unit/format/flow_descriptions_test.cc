// flow_descriptions_test.cc: tests that invalid flow descriptions are rejected.
#include "format/flow_descriptions.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>

namespace tare::format {
namespace {

template <typename T>
void Append(std::vector<std::byte>& to, const T& value) {
  const std::size_t before = to.size();
  to.resize(before + sizeof(value));
  std::memcpy(to.data() + before, &value, sizeof(value));
}

// A block of 8 bytes and one description with one access.
struct Description {
  tare_wire_block block{{TARE_WIRE_BLOCK, sizeof(tare_wire_block) + 8}, 0x1000, 8, 2, 0, 0};
  tare_wire_flow flow{
      {TARE_WIRE_FLOW, sizeof(tare_wire_flow) + sizeof(tare_wire_access)}, 0, 0, 2, 1};
  tare_wire_access access{8, 4, 4, 1, TARE_FLOW_LOAD, 0};

  std::vector<std::byte> Bytes() const {
    std::vector<std::byte> bytes;
    Append(bytes, block);
    Append(bytes, std::uint64_t{0});
    Append(bytes, flow);
    Append(bytes, access);
    return bytes;
  }
};

TEST(FlowDescriptions, OfAnEngineAreTaken) {
  FlowDescriptions descriptions;
  ASSERT_TRUE(descriptions.Append(Description{}.Bytes()));
  ASSERT_EQ(descriptions.Described().size(), 1u);
  EXPECT_EQ(descriptions.BlockCount(), 1u);
  EXPECT_EQ(descriptions.Described()[0].instructions, 2u);
}

TEST(FlowDescriptions, MayComeInPieces) {
  const auto bytes = Description{}.Bytes();
  FlowDescriptions descriptions;
  const std::size_t block = sizeof(tare_wire_block) + 8;
  ASSERT_TRUE(descriptions.Append({bytes.begin(), bytes.begin() + block}));
  ASSERT_TRUE(descriptions.Append({}));
  EXPECT_TRUE(descriptions.Described().empty());
  ASSERT_TRUE(descriptions.Append({bytes.begin() + block, bytes.end()}));
  EXPECT_EQ(descriptions.Described().size(), 1u);
}

TEST(FlowDescriptions, CutAnywhereButBetweenRecordsAreRefused) {
  const auto bytes = Description{}.Bytes();
  for (std::size_t length = 1; length < bytes.size(); ++length) {
    FlowDescriptions descriptions;
    const bool whole = length == sizeof(tare_wire_block) + 8;
    EXPECT_EQ(
        descriptions.Append({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length)})
            .has_value(),
        whole)
        << length;
  }
}

TEST(FlowDescriptions, ThatCannotBeAreRefused) {
  const std::vector<std::function<void(Description&)>> changes = {
      [](Description& description) { description.flow.block = 1; },
      [](Description& description) { description.flow.words = 0; },
      [](Description& description) { description.flow.words = TARE_FLOW_RECORD_WORDS + 1; },
      [](Description& description) { description.flow.accesses = 2; },
      [](Description& description) { description.flow.operation = 1; },
      [](Description& description) { description.flow.operation = 2; },
      [](Description& description) { description.access.word = 2; },
      [](Description& description) { description.access.kind = 0; },
      [](Description& description) { description.access.kind = 5; },
      [](Description& description) { description.access.code_offset = 8; },
      [](Description& description) { description.access.kind = TARE_FLOW_GUARDED_LOAD; },
      [](Description& description) {
        description.access.kind = TARE_FLOW_GUARDED_STORE;
        description.access.offset = 0;
        description.access.word = 0;
      },
      [](Description& description) { description.block.code_bytes = 9; },
      [](Description& description) { description.block.record.kind = 9; },
      [](Description& description) { description.block.record.size = 0; },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    Description description;
    changes[i](description);
    FlowDescriptions descriptions;
    const auto appended = descriptions.Append(description.Bytes());
    ASSERT_FALSE(appended) << i;
    EXPECT_EQ(appended.error().kind, ErrorKind::kFormat) << i;
    EXPECT_TRUE(descriptions.Described().empty()) << i;
  }
}

}  // namespace
}  // namespace tare::format
