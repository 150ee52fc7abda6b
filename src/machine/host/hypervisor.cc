// hypervisor.cc: the clues and the hypervisors that they identify.
#include "machine/host/hypervisor.h"

#include <algorithm>
#include <array>
#include <span>

#include "machine/host/kernel_text.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace tare::host {
namespace {

struct Sign {
  std::string_view text;
  std::string_view name;
};

// What hypervisors return for CPUID leaf 0x40000000 in EBX, ECX and EDX.
constexpr auto kSignatures = std::to_array<Sign>({
    {"KVMKVMKVM", "KVM"},
    {"Linux KVM Hv", "KVM"},
    {"Microsoft Hv", "Hyper-V"},
    {"VMwareVMware", "VMware"},
    {"XenVMMXenVMM", "Xen"},
    {"TCGTCGTCGTCG", "QEMU without KVM"},
    {"bhyve bhyve ", "bhyve"},
    {"VBoxVBoxVBox", "VirtualBox"},
    {"ACRNACRNACRN", "ACRN"},
    {"prl hyperv", "Parallels"},
    {" lrpepyh  vr", "Parallels"},
    {"QNXQVMBSQG", "QNX"},
    {"___ NVMM ___", "NVMM"},
    {"OpenBSDVMM58", "OpenBSD vmm"},
    {"Jailhouse", "Jailhouse"},
    {"HAXMHAXMHAXM", "HAXM"},
});

// Prefixes of the DMI vendor and product names of virtual machines.
constexpr auto kDmi = std::to_array<Sign>({
    {"QEMU", "QEMU"},
    {"KVM", "KVM"},
    {"VMware", "VMware"},
    {"innotek GmbH", "VirtualBox"},
    {"VirtualBox", "VirtualBox"},
    {"Xen", "Xen"},
    {"HVM domU", "Xen"},
    {"Bochs", "Bochs"},
    {"Parallels", "Parallels"},
    {"BHYVE", "bhyve"},
    {"Google Compute Engine", "KVM (Google Compute Engine)"},
    {"Amazon EC2", "KVM (Amazon EC2)"},
    {"OpenStack", "KVM (OpenStack)"},
    {"DigitalOcean", "KVM (DigitalOcean)"},
    {"Hetzner", "KVM (Hetzner)"},
    {"Alibaba Cloud ECS", "KVM (Alibaba Cloud)"},
    {"Virtual Machine", "Hyper-V"},
    {"Apple Virtualization", "Apple Virtualization"},
});

constexpr auto kDeviceTree = std::to_array<Sign>({
    {"linux,kvm", "KVM"},
    {"xen,xen", "Xen"},
    {"vmware", "VMware"},
});

constexpr auto kContainers = std::to_array<Sign>({
    {"kubepods", "kubernetes"},
    {"docker", "docker"},
    {"libpod", "podman"},
    {"lxc", "lxc"},
    {"containerd", "containerd"},
    {"machine.slice", "systemd-nspawn"},
    {"garden", "garden"},
});

std::optional<Hypervisor> Match(std::string_view text, std::span<const Sign> signs,
                                std::string_view evidence) {
  const auto found =
      std::ranges::find_if(signs, [&](const Sign& sign) { return text.starts_with(sign.text); });
  if (found == signs.end()) return std::nullopt;
  return Hypervisor{std::string(found->name), std::string(evidence)};
}

std::string CpuidSignature() {
#if defined(__x86_64__)
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  constexpr unsigned kHypervisorBit = 1U << 31;  // CPUID leaf 1, ECX: always 0 on bare metal
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & kHypervisorBit) == 0) return {};
  __cpuid(0x40000000, a, b, c, d);
  std::string signature;
  for (unsigned part : {b, c, d}) {
    for (unsigned shift = 0; shift < 32; shift += 8) {
      signature += static_cast<char>((part >> shift) & 0xff);
    }
  }
  return signature;
#else
  return {};
#endif
}

}  // namespace

HypervisorClues ReadHypervisorClues(const SystemFiles& files, bool processor_flag) {
  return {
      .cpuid_signature = files.IsThisMachine() ? CpuidSignature() : "",
      .processor_flag = processor_flag,
      .sys_hypervisor = files.Line("/sys/hypervisor/type").value_or(""),
      .dmi_vendor = files.Line("/sys/class/dmi/id/sys_vendor").value_or(""),
      .dmi_product = files.Line("/sys/class/dmi/id/product_name").value_or(""),
      .device_tree_node = files.Line("/proc/device-tree/hypervisor/compatible").value_or(""),
      .device_tree_machine = files.Line("/proc/device-tree/compatible").value_or(""),
      .firmware_call = files.Line("/proc/device-tree/psci/method").value_or(""),
      .virtio_devices = !files.Names("/sys/bus/virtio/devices").empty(),
  };
}

std::optional<Hypervisor> NameHypervisor(const HypervisorClues& clues) {
  if (auto known = Match(clues.cpuid_signature, kSignatures, "CPUID")) return known;
  if (clues.sys_hypervisor == "xen") return Hypervisor{"Xen", "/sys/hypervisor"};
  if (auto known = Match(clues.device_tree_node, kDeviceTree, "device tree")) return known;
  // Amazon's bare-metal instances have the same vendor name; their product names contain ".metal".
  const bool rented_whole =
      clues.dmi_product.ends_with(".metal") || clues.dmi_product.contains(".metal-");
  if (!rented_whole) {
    if (auto known = Match(clues.dmi_product, kDmi, "DMI product name")) return known;
    if (auto known = Match(clues.dmi_vendor, kDmi, "DMI vendor")) return known;
  }
  if (!Trimmed(clues.cpuid_signature).empty()) return Hypervisor{"unknown", "CPUID"};
  if (clues.processor_flag) return Hypervisor{"unknown", "the processor's hypervisor flag"};
  if (clues.device_tree_machine.starts_with("linux,dummy-virt")) {
    return Hypervisor{"KVM or QEMU", "device tree"};
  }
  // PSCI calls by HVC trap to EL2, the exception level of the hypervisor.
  if (clues.firmware_call == "hvc") return Hypervisor{"unknown", "firmware calls through hvc"};
  if (clues.virtio_devices) return Hypervisor{"unknown", "virtio devices"};
  return std::nullopt;
}

std::optional<std::string> ReadContainer(const SystemFiles& files) {
  // systemd writes the type of its container to this file.
  if (auto said = files.Line("/run/systemd/container"); said && !said->empty()) return *said;
  if (files.Has("/run/.containerenv")) return "podman";
  if (files.Has("/.dockerenv")) return "docker";
  if (const auto groups = files.Text("/proc/self/cgroup")) {
    for (const Sign& sign : kContainers) {
      if (groups->find(sign.text) != std::string::npos) return std::string(sign.name);
    }
  }
  return std::nullopt;
}

}  // namespace tare::host
