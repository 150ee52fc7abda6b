// machine_identity_test.cc: tests names of machines.
#include "machine/host/machine_identity.h"

#include <gtest/gtest.h>

#include "synthetic_machine.h"

namespace tare::host {
namespace {

TEST(Identity, OfALaptop) {
  const SyntheticMachine machine(IntelLaptop());
  const Identity identity = ReadIdentity(machine.Files());
  EXPECT_EQ(MachineName(identity), "lapwing (11th Gen Intel Core i7-1165G7)");
  EXPECT_EQ(KernelName(identity), "Linux 6.1.0-18-amd64");
  EXPECT_EQ(identity.system, "Debian GNU/Linux 12 (bookworm)");
  EXPECT_FALSE(identity.hypervisor);
  EXPECT_FALSE(identity.container);
}

TEST(Identity, OfAVirtualMachineInAContainer) {
  const SyntheticMachine machine(ArmVirtualMachine());
  const Identity identity = ReadIdentity(machine.Files());
  ASSERT_TRUE(identity.hypervisor);
  EXPECT_EQ(identity.hypervisor->name, "KVM (Amazon EC2)");
  EXPECT_EQ(identity.container, "docker");
}

TEST(Identity, OfNothingHasNamesAllTheSame) {
  const Identity identity = ReadIdentity(SyntheticMachine(SyntheticFiles()).Files());
  EXPECT_EQ(MachineName(identity), "unknown machine");
  EXPECT_EQ(KernelName(identity), "unknown kernel");
  EXPECT_EQ(identity.system, "");
}

TEST(MachineName, MakesDoWithOneHalf) {
  Identity identity;
  identity.host = "wren";
  EXPECT_EQ(MachineName(identity), "wren");
  identity.model = "Z80";
  EXPECT_EQ(MachineName(identity), "wren (Z80)");
  identity.host = "";
  EXPECT_EQ(MachineName(identity), "Z80");
}

TEST(Identity, OfThisMachineKnowsHostAndKernel) {
  const Identity identity = ReadIdentity({});
  EXPECT_NE(identity.host, "");
  EXPECT_EQ(identity.kernel.rfind("Linux ", 0), 0U) << identity.kernel;
  EXPECT_NE(identity.architecture, "");
  EXPECT_EQ(MachineName(identity), MachineName(ReadIdentity({})));
}

TEST(OsRelease, QuotesAndEscapesComeOff) {
  EXPECT_EQ(OsReleaseValue("NAME='A B'\n", "NAME"), "A B");
  EXPECT_EQ(OsReleaseValue("NAME=\"A \\\"B\\\"\"\n", "NAME"), "A \"B\"");
  EXPECT_EQ(OsReleaseValue("NAME=plain\n", "NAME"), "plain");
  EXPECT_EQ(OsReleaseValue("NAME=\"\n", "NAME"), "\"");
  EXPECT_EQ(OsReleaseValue("X=1", "NAME"), std::nullopt);
}

}  // namespace
}  // namespace tare::host
