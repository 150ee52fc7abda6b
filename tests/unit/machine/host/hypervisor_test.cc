// hypervisor_test.cc: tests the detection of virtual machines, containers and bare metal.
#include "machine/host/hypervisor.h"

#include <gtest/gtest.h>

#include "synthetic_machine.h"

namespace tare::host {
namespace {

using std::string_literals::operator""s;

std::string NameOf(const HypervisorClues& clues) {
  const auto hypervisor = NameHypervisor(clues);
  return hypervisor ? hypervisor->name : "none";
}

HypervisorClues Cpuid(std::string signature) {
  HypervisorClues clues;
  clues.cpuid_signature = std::move(signature);
  return clues;
}

HypervisorClues Dmi(std::string vendor, std::string product) {
  HypervisorClues clues;
  clues.dmi_vendor = std::move(vendor);
  clues.dmi_product = std::move(product);
  return clues;
}

TEST(Hypervisor, NoClueIsNoHypervisor) {
  EXPECT_EQ(NameOf({}), "none");
  EXPECT_EQ(NameOf(Dmi("Dell Inc.", "PowerEdge R750")), "none");
}

TEST(Hypervisor, CpuidSignaturesAreKnown) {
  EXPECT_EQ(NameOf(Cpuid("KVMKVMKVM\0\0\0"s)), "KVM");
  EXPECT_EQ(NameOf(Cpuid("Microsoft Hv"s)), "Hyper-V");
  EXPECT_EQ(NameOf(Cpuid("VMwareVMware"s)), "VMware");
  EXPECT_EQ(NameOf(Cpuid("XenVMMXenVMM"s)), "Xen");
  EXPECT_EQ(NameOf(Cpuid("SomebodyElse"s)), "unknown");
  EXPECT_EQ(NameOf(Cpuid("\0\0\0\0\0\0\0\0\0\0\0\0"s)), "none");
}

TEST(Hypervisor, CloudsAreKnownByTheirFirmware) {
  EXPECT_EQ(NameOf(Dmi("Google", "Google Compute Engine")), "KVM (Google Compute Engine)");
  EXPECT_EQ(NameOf(Dmi("Microsoft Corporation", "Virtual Machine")), "Hyper-V");
  EXPECT_EQ(NameOf(Dmi("Microsoft Corporation", "Surface Book 3")), "none");
  EXPECT_EQ(NameOf(Dmi("QEMU", "Standard PC (Q35 + ICH9, 2009)")), "QEMU");
}

TEST(Hypervisor, AWholeMachineOfAmazonIsBareMetal) {
  EXPECT_EQ(NameOf(Dmi("Amazon EC2", "c6g.large")), "KVM (Amazon EC2)");
  EXPECT_EQ(NameOf(Dmi("Amazon EC2", "c6g.metal")), "none");
  EXPECT_EQ(NameOf(Dmi("Amazon EC2", "m7i.metal-24xl")), "none");
}

TEST(Hypervisor, WeakCluesStillBetrayIt) {
  HypervisorClues flag;
  flag.processor_flag = true;
  EXPECT_EQ(NameOf(flag), "unknown");
  HypervisorClues virtio;
  virtio.virtio_devices = true;
  EXPECT_EQ(NameOf(virtio), "unknown");
  HypervisorClues firmware;
  firmware.firmware_call = "smc";
  EXPECT_EQ(NameOf(firmware), "none");
  firmware.firmware_call = "hvc";
  EXPECT_EQ(NameOf(firmware), "unknown");
}

TEST(Hypervisor, DeviceTreesAreRead) {
  const SyntheticMachine kvm(
      SyntheticFiles{{"/proc/device-tree/hypervisor/compatible", "linux,kvm\0"s}});
  EXPECT_EQ(NameOf(ReadHypervisorClues(kvm.Files(), false)), "KVM");
  const SyntheticMachine virt(
      SyntheticFiles{{"/proc/device-tree/compatible", "linux,dummy-virt\0"s},
                     {"/proc/device-tree/psci/method", "hvc\0"s},
                     {"/sys/bus/virtio/devices/virtio0/x", ""}});
  EXPECT_EQ(NameOf(ReadHypervisorClues(virt.Files(), false)), "KVM or QEMU");
  const SyntheticMachine xen(SyntheticFiles{{"/sys/hypervisor/type", "xen\n"}});
  EXPECT_EQ(NameOf(ReadHypervisorClues(xen.Files(), true)), "Xen");
}

TEST(Hypervisor, ASyntheticMachineIsNotQueriedByCpuid) {
  EXPECT_EQ(NameOf(ReadHypervisorClues(SyntheticMachine(SyntheticFiles()).Files(), false)), "none");
}

TEST(Container, IsKnownByItsTraces) {
  const auto in = [](const SyntheticFiles& files) {
    return ReadContainer(SyntheticMachine(files).Files()).value_or("none");
  };
  EXPECT_EQ(in({}), "none");
  EXPECT_EQ(in({{"/.dockerenv", ""}}), "docker");
  EXPECT_EQ(in({{"/run/.containerenv", "engine=\"podman-4\"\n"}}), "podman");
  EXPECT_EQ(in({{"/run/systemd/container", "systemd-nspawn\n"}}), "systemd-nspawn");
  EXPECT_EQ(in({{"/proc/self/cgroup", "0::/kubepods.slice/docker-1.scope\n"}}), "kubernetes");
  EXPECT_EQ(in({{"/proc/self/cgroup", "5:cpu:/lxc/web\n"}}), "lxc");
  EXPECT_EQ(in({{"/proc/self/cgroup", "0::/user.slice\n"}}), "none");
}

}  // namespace
}  // namespace tare::host
