// function_names_test.cc: tests names of functions that gcc's hooks counted.
#include "measure/sample/function_names.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "tests/unit/format/synthetic_counters.h"

namespace tare::sample {
namespace {

using testing::SizeIs;

class SyntheticFile {
 public:
  explicit SyntheticFile(const format::SyntheticCounters& made)
      : file_(memfd_create("counters", MFD_CLOEXEC)) {
    const std::string bytes = made.Bytes();
    EXPECT_EQ(write(file_.Number(), bytes.data(), bytes.size()),
              static_cast<ssize_t>(bytes.size()));
  }
  void Write(std::uint64_t place, std::uint64_t value) const {
    EXPECT_EQ(pwrite(file_.Number(), &value, sizeof value, static_cast<off_t>(place)), 8);
  }
  Result<format::CounterFile> Open() const {
    return format::CounterFile::OpenDescriptor(file_.Number(), "made");
  }

 private:
  Descriptor file_;
};

TEST(FunctionNames, AreAddressesWithoutSymbols) {
  const SyntheticFile made{format::SyntheticCounters()};
  const auto file = made.Open();
  ASSERT_TRUE(file) << file.error().message;
  FunctionNames names("/no/such/file");
  const auto seen = names.Unseen(*file);
  ASSERT_THAT(seen, SizeIs(1));
  EXPECT_EQ(seen[0].name, "0x1230");
  EXPECT_TRUE(seen[0].is_function);
}

TEST(FunctionNames, ComeOnceAndMoreWhenThereAreMore) {
  format::SyntheticCounters counters;
  const SyntheticFile made(counters);
  const auto file = made.Open();
  ASSERT_TRUE(file) << file.error().message;
  FunctionNames names("/no/such/file");
  EXPECT_THAT(names.Unseen(*file), SizeIs(1));
  EXPECT_THAT(names.Unseen(*file), SizeIs(0));
  EXPECT_THAT(names.Unseen(*file), SizeIs(0));
  // The third entry of the table gets its slot.
  const std::uint64_t third = counters.header().functions_at + 2 * sizeof(tare_counters_function);
  made.Write(third + offsetof(tare_counters_function, slot_and_one), 6);
  made.Write(offsetof(tare_counters_header, functions_used), 2);
  const auto more = names.Unseen(*file);
  ASSERT_THAT(more, SizeIs(1));
  EXPECT_EQ(more[0].name, "0x1240");
  EXPECT_EQ(more[0].slot, 5u);
}

}  // namespace
}  // namespace tare::sample
