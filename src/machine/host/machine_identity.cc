// machine_identity.cc: host name, kernel and operating system.
#include "machine/host/machine_identity.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include "base/printable.h"
#include "machine/host/host_processor.h"
#include "machine/host/kernel_text.h"

namespace tare::host {

std::optional<std::string> OsReleaseValue(std::string_view text, std::string_view key) {
  const auto value = ValueOf(text, key, '=');
  if (!value) return std::nullopt;
  std::string_view bare = *value;
  if (bare.size() >= 2 && (bare.front() == '"' || bare.front() == '\'') &&
      bare.back() == bare.front()) {
    bare = bare.substr(1, bare.size() - 2);
  }
  std::string plain;
  for (std::size_t i = 0; i < bare.size(); ++i) {
    if (bare[i] == '\\' && i + 1 < bare.size()) ++i;
    plain += bare[i];
  }
  return Printable(plain);
}

Identity ReadIdentity(const SystemFiles& files, const std::string& model, bool processor_flag) {
  Identity identity;
  identity.model = model;
  identity.host = files.Line("/proc/sys/kernel/hostname").value_or("");
  const auto release = files.Line("/proc/sys/kernel/osrelease").value_or("");
  if (!release.empty()) {
    identity.kernel =
        fmt::format("{} {}", files.Line("/proc/sys/kernel/ostype").value_or("Linux"), release);
  }
  identity.architecture = files.Line("/proc/sys/kernel/arch").value_or("");
  struct utsname names{};
  if (files.IsThisMachine() && ::uname(&names) == 0) {
    identity.architecture = Printable(names.machine);
    if (identity.host.empty()) identity.host = Printable(names.nodename);
    if (identity.kernel.empty()) {
      identity.kernel = Printable(fmt::format("{} {}", names.sysname, names.release));
    }
  }
  auto os_release = files.Text("/etc/os-release");
  if (!os_release) os_release = files.Text("/usr/lib/os-release");
  if (os_release) {
    auto name = OsReleaseValue(*os_release, "PRETTY_NAME");
    if (!name) name = OsReleaseValue(*os_release, "NAME");
    identity.system = name.value_or("");
  }
  identity.hypervisor = NameHypervisor(ReadHypervisorClues(files, processor_flag));
  identity.container = ReadContainer(files);
  return identity;
}

Identity ReadIdentity(const SystemFiles& files) {
  const auto processor = ReadProcessor(files);
  if (!processor || processor->models.empty()) return ReadIdentity(files, "", false);
  return ReadIdentity(files, ShortModelName(processor->models.front().name),
                      processor->says_hypervisor);
}

std::string MachineName(const Identity& identity) {
  if (identity.host.empty() && identity.model.empty()) return "unknown machine";
  if (identity.host.empty()) return identity.model;
  if (identity.model.empty()) return identity.host;
  return fmt::format("{} ({})", identity.host, identity.model);
}

std::string KernelName(const Identity& identity) {
  if (identity.kernel.empty()) return "unknown kernel";
  if (identity.architecture.empty()) return identity.kernel;
  return fmt::format("{} {}", identity.kernel, identity.architecture);
}

}  // namespace tare::host
