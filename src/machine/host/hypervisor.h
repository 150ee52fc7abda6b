// hypervisor.h: detecting a virtual machine or a container, and naming it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "machine/host/system_files.h"

namespace tare::host {

// Evidence of a hypervisor; a field is empty where there is none.
struct HypervisorClues {
  std::string cpuid_signature;      // x86: the 12 bytes of CPUID leaf 0x40000000, zeros kept
  bool processor_flag = false;      // x86: "hypervisor" in /proc/cpuinfo
  std::string sys_hypervisor;       // /sys/hypervisor/type
  std::string dmi_vendor;           // /sys/class/dmi/id/sys_vendor
  std::string dmi_product;          // /sys/class/dmi/id/product_name
  std::string device_tree_node;     // /proc/device-tree/hypervisor/compatible
  std::string device_tree_machine;  // /proc/device-tree/compatible
  std::string firmware_call;        // /proc/device-tree/psci/method: hvc or smc
  bool virtio_devices = false;      // /sys/bus/virtio/devices has entries
};

struct Hypervisor {
  std::string name;      // "KVM", "VMware", "Firecracker or QEMU", "unknown"
  std::string evidence;  // the clue that decided
};

// Executes CPUID only when `files` describes this machine, and only on x86.
HypervisorClues ReadHypervisorClues(const SystemFiles& files, bool processor_flag);

// The most specific clue decides. Returns nothing without any clue, as on bare metal.
std::optional<Hypervisor> NameHypervisor(const HypervisorClues& clues);

// "docker", "podman", "kubernetes", "lxc", ...; nothing outside of a container.
std::optional<std::string> ReadContainer(const SystemFiles& files);

}  // namespace tare::host
