// machine_identity.h: the identity of a machine, which names it in results and calibrations.
#pragma once

#include <optional>
#include <string>

#include "machine/host/hypervisor.h"
#include "machine/host/system_files.h"

namespace tare::host {

struct Identity {
  std::string host;          // every field is empty when unknown
  std::string model;         // short name of the processor
  std::string kernel;        // "Linux 6.1.0-18-amd64"
  std::string architecture;  // "x86_64", "aarch64"
  std::string system;        // "Debian GNU/Linux 12 (bookworm)"
  std::optional<Hypervisor> hypervisor;
  std::optional<std::string> container;
};

// All text is printable. `processor_flag`: see Processor::says_hypervisor.
Identity ReadIdentity(const SystemFiles& files, const std::string& model, bool processor_flag);

// As above; reads the processor from the same files.
Identity ReadIdentity(const SystemFiles& files);

// "host (model)", or the part of it that is known; "unknown machine" when neither is. One machine
// always has the same name.
std::string MachineName(const Identity& identity);

// "Linux 6.1.0-18-amd64 x86_64".
std::string KernelName(const Identity& identity);

// The value of `key` in the text of /etc/os-release, without its quotes.
std::optional<std::string> OsReleaseValue(std::string_view text, std::string_view key);

}  // namespace tare::host
