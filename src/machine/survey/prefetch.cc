// prefetch.cc: Intel's MSR 0x1A4, whose low four bits disable prefetchers.
#include "machine/survey/prefetch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/file.h"

namespace tare::survey {
namespace {

constexpr off_t kRegister = 0x1a4;
constexpr std::uint64_t kAllOff = 0xf;
constexpr std::string_view kIntel = "Intel";

std::string MsrFile(const host::SystemFiles& files, unsigned core) {
  return files.Place(fmt::format("/dev/cpu/{}/msr", core)).string();
}

Result<std::uint64_t> ReadRegister(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::uint64_t value = 0;
  if (!file.IsOpen() || pread(file.Number(), &value, sizeof value, kRegister) != sizeof value) {
    return std::unexpected(SystemError("read", path, errno));
  }
  return value;
}

Result<void> WriteRegister(const std::string& path, std::uint64_t value) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.IsOpen() || pwrite(file.Number(), &value, sizeof value, kRegister) != sizeof value) {
    return std::unexpected(SystemError("write", path, errno));
  }
  return {};
}

}  // namespace

std::string PrefetchState(const host::SystemFiles& files, const std::string& vendor,
                          unsigned core) {
  if (vendor != kIntel) return "unknown: only Intel processors have a documented switch";
  const auto value = ReadRegister(MsrFile(files, core));
  if (!value) return fmt::format("unknown: {}", value.error().message);
  if ((*value & kAllOff) == kAllOff) return "off";
  return (*value & kAllOff) == 0 ? "on" : "partly on";
}

Result<PrefetchOff> PrefetchOff::On(const host::SystemFiles& files, const std::string& vendor,
                                    std::span<const unsigned> cores) {
  if (vendor != kIntel) {
    return Fail(ErrorKind::kUnsupported,
                "cannot disable prefetching: only Intel processors have a documented "
                "switch");
  }
  PrefetchOff off;
  for (const unsigned core : cores) {
    const std::string path = MsrFile(files, core);
    const auto before = ReadRegister(path);
    const auto written = before ? WriteRegister(path, *before | kAllOff)
                                : Result<void>(std::unexpected(before.error()));
    if (!written) {
      return Fail(ErrorKind::kUnsupported,
                  fmt::format("cannot disable prefetching: {} (it needs root and the "
                              "msr kernel module, on bare metal)",
                              written.error().message));
    }
    off.before_.emplace_back(path, *before);
  }
  return off;
}

PrefetchOff::~PrefetchOff() {
  for (const auto& [path, value] : before_) {
    // A failed restore cannot be handled here.
    (void)WriteRegister(path, value);
  }
}

}  // namespace tare::survey
