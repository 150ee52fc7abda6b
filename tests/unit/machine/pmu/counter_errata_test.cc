// counter_errata_test.cc: tests the table of errata and the processor that it is looked up by.
#include "machine/pmu/counter_errata.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/private_directory.h"

namespace tare::pmu {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

host::Reading<X86Signature> SignatureOf(const std::string& cpuinfo) {
  const auto directory = PrivateDirectory::Make();
  if (!directory) return std::unexpected("no directory");
  std::filesystem::create_directory(directory->path() / "proc");
  std::ofstream(directory->path() / "proc/cpuinfo") << cpuinfo;
  return ReadX86Signature({directory->path()});
}

TEST(ReadX86Signature, IsThatOfTheFirstProcessor) {
  const auto haswell = SignatureOf(
      "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 60\nmodel name\t: "
      "Intel(R) Core(TM) i7-4770\nstepping\t: 3\n");
  ASSERT_TRUE(haswell.has_value()) << haswell.error();
  EXPECT_EQ(*haswell, (X86Signature{"GenuineIntel", 6, 60}));
  EXPECT_FALSE(SignatureOf("processor\t: 0\nCPU implementer\t: 0x41\n").has_value());
}

TEST(ErrataOf, AreThoseThatTheVendorListsForTheModel) {
  const auto haswell = ErrataOf({"GenuineIntel", 6, 0x3c});
  ASSERT_EQ(haswell.size(), 3U);
  EXPECT_EQ(haswell[0].id, "HSD140, HSD143");
  EXPECT_EQ(haswell[0].events, "INST_RETIRED.ANY");
  for (const CounterErratum& erratum : haswell) {
    EXPECT_THAT(std::string(erratum.document), HasSubstr("4th Generation"));
  }
  EXPECT_EQ(ErrataOf({"AuthenticAMD", 0x17, 1}).at(0).id, "1054");
  EXPECT_THAT(ErrataOf({"AuthenticAMD", 6, 0x3c}), IsEmpty());
  EXPECT_THAT(ErrataOf({"GenuineIntel", 6, 0xff}), IsEmpty());
}

}  // namespace
}  // namespace tare::pmu
