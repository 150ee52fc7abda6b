// control_group.cc: walking from the control group of this process up to the root.
#include "machine/host/control_group.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "machine/host/kernel_text.h"

namespace tare::host {
namespace {

constexpr int kMaxLevels = 64;

// Version 1 represents "no limit" by the largest multiple of the page size below 2^63.
constexpr std::uint64_t kNoMemoryLimit = std::uint64_t{1} << 60;

template <typename Number>
void Tighten(std::optional<Number>& limit, std::optional<Number> found) {
  if (found && (!limit || *found < *limit)) limit = found;
}

struct Membership {
  std::vector<std::string> mounts;  // directories that may contain the group
  std::string path;
};

// Parses "4:cpu,cpuacct:/a/b" (version 1) and "0::/a/b" (version 2). In a container the path may be
// the host's and not exist here. Walking up then ends at the root, which is the container's own
// group.
std::optional<Membership> ParseMembership(std::string_view line) {
  const auto first = line.find(':');
  if (first == std::string_view::npos) return std::nullopt;
  const auto second = line.find(':', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  const auto controllers = line.substr(first + 1, second - first - 1);
  Membership membership;
  membership.path = Trimmed(line.substr(second + 1));
  if (membership.path.contains("..")) membership.path = "/";
  if (controllers.empty()) {
    membership.mounts = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};
    return membership;
  }
  std::string_view rest = controllers;
  while (!rest.empty()) {
    const auto comma = rest.find(',');
    const auto name = rest.substr(0, comma);
    if (name == "cpu" || name == "memory") {
      membership.mounts.push_back(fmt::format("/sys/fs/cgroup/{}", controllers));
      if (name != controllers) membership.mounts.push_back(fmt::format("/sys/fs/cgroup/{}", name));
    }
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  return membership;
}

void ReadGroup(const SystemFiles& files, const std::string& directory, ControlGroup& group) {
  const auto text = [&](std::string_view name) {
    return files.Text(fmt::format("{}/{}", directory, name));
  };
  if (const auto limit = text("cpu.max")) Tighten(group.cores, ParseCpuMax(*limit));
  const auto quota = text("cpu.cfs_quota_us");
  const auto period = text("cpu.cfs_period_us");
  if (quota && period) {
    Tighten(group.cores, ParseCpuMax(fmt::format("{} {}", Trimmed(*quota), Trimmed(*period))));
  }
  for (std::string_view name : {"memory.max", "memory.limit_in_bytes"}) {
    const auto limit = text(name);
    const auto bytes = limit ? WholeNumber(*limit) : std::nullopt;
    if (bytes && *bytes < kNoMemoryLimit) Tighten(group.memory_bytes, bytes);
  }
  if (const auto statistics = text("cpu.stat")) {
    for (std::string_view line : Lines(*statistics)) {
      const auto words = Words(line);
      if (words.size() != 2 || words[0] != "nr_throttled") continue;
      if (const auto periods = WholeNumber(words[1])) {
        group.throttled = std::max(group.throttled.value_or(0), *periods);
      }
    }
  }
}

}  // namespace

std::optional<double> ParseCpuMax(std::string_view text) {
  const auto words = Words(text);
  if (words.size() != 2) return std::nullopt;
  const auto quota = WholeNumber(words[0]);
  const auto period = WholeNumber(words[1]);
  if (!quota || !period || *quota == 0 || *period == 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

Reading<ControlGroup> ReadControlGroup(const SystemFiles& files) {
  const auto memberships = files.Text("/proc/self/cgroup");
  if (!memberships) return std::unexpected(memberships.error());
  ControlGroup group;
  for (std::string_view line : Lines(*memberships)) {
    const auto membership = ParseMembership(line);
    if (!membership) continue;
    for (const std::string& mount : membership->mounts) {
      std::string path = membership->path;
      for (int level = 0; level < kMaxLevels; ++level) {
        while (path.ends_with('/')) path.pop_back();
        ReadGroup(files, mount + path, group);
        if (path.empty()) break;
        path.resize(path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
      }
    }
  }
  return group;
}

}  // namespace tare::host
