// study_conditions.cc: readings of the machine, and hashes of files.
#include "analysis/study/study_conditions.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/sha256.h"
#include "machine/host/conditions.h"
#include "machine/host/machine_identity.h"
#include "measure/run/setting.h"

namespace tare::study {
namespace {

constexpr std::chrono::seconds kReadAgain{10};

constexpr auto kVolatilePrefixes =
    std::to_array<std::string_view>({"PWD=", "OLDPWD=", "SHLVL=", "_=", "SSH_", "TERM",
                                     "COLUMNS=", "LINES=", "DISPLAY=", "WINDOWID=", "XDG_SESSION",
                                     "SLURM", "TMUX", "STY=", "JOB_", "TMPDIR=", "HOSTNAME="});

bool IsSameFile(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_size == b.st_size &&
         a.st_mtim.tv_sec == b.st_mtim.tv_sec && a.st_mtim.tv_nsec == b.st_mtim.tv_nsec &&
         a.st_ctim.tv_sec == b.st_ctim.tv_sec && a.st_ctim.tv_nsec == b.st_ctim.tv_nsec;
}

ConditionFacts ReadFacts(const std::string& version) {
  const host::SystemFiles files;
  const host::Identity identity = host::ReadIdentity(files);
  host::ConditionOptions options;
  options.directories.clear();
  const host::Conditions conditions = host::ReadConditions(files, options);
  ConditionFacts facts = {{"machine", host::MachineName(identity)},
                          {"kernel", host::KernelName(identity)},
                          {"tare", version},
                          {"environment", EnvironmentHash(run::InheritedEnvironment())}};
  if (conditions.frequency) {
    facts["governor"] = conditions.frequency->governor;
    if (conditions.frequency->turbo) facts["turbo"] = *conditions.frequency->turbo ? "on" : "off";
  }
  if (conditions.smt_active) facts["smt"] = *conditions.smt_active ? "on" : "off";
  if (conditions.transparent_huge_pages) {
    facts["huge pages"] = *conditions.transparent_huge_pages;
  }
  if (conditions.clock_source) facts["clock source"] = conditions.clock_source->current;
  if (conditions.randomize_va_space) {
    facts["randomize_va_space"] = std::to_string(*conditions.randomize_va_space);
  }
  return facts;
}

}  // namespace

std::string FileHashes::Of(const std::filesystem::path& path) {
  struct stat state{};
  if (::stat(path.c_str(), &state) != 0) return "unreadable";
  const auto known = known_.find(path.string());
  if (known != known_.end() && IsSameFile(known->second.state, state)) return known->second.hash;
  std::string hash = S_ISREG(state.st_mode) ? Sha256OfFile(path).value_or("unreadable")
                                            : std::string("not a regular file");
  known_[path.string()] = {state, hash};
  return hash;
}

const ConditionFacts& MachineConditions::Now() {
  const auto now = std::chrono::steady_clock::now();
  if (facts_.empty() || now - read_ >= kReadAgain) {
    facts_ = ReadFacts(version_);
    read_ = now;
  }
  return facts_;
}

double LoadNow() {
  double load = 0;
  return ::getloadavg(&load, 1) == 1 ? load : 0;
}

std::string EnvironmentHash(const std::vector<std::string>& entries) {
  std::vector<std::string> kept;
  for (const std::string& entry : entries) {
    const bool is_volatile = std::ranges::any_of(
        kVolatilePrefixes, [&](std::string_view prefix) { return entry.starts_with(prefix); });
    if (!is_volatile) kept.push_back(entry);
  }
  std::ranges::sort(kept);
  Sha256 hash;
  for (const std::string& entry : kept) hash.Add(entry + '\n');
  return hash.Finish().substr(0, 16);
}

std::vector<std::string> ChangedFacts(const ConditionFacts& first, const ConditionFacts& now) {
  std::vector<std::string> changed;
  for (const auto& [name, value] : first) {
    const auto found = now.find(name);
    if (found == now.end() || found->second != value) changed.push_back(name);
  }
  for (const auto& [name, value] : now) {
    if (!first.contains(name)) changed.push_back(name);
  }
  return changed;
}

bool IsCaseFact(std::string_view name) {
  return name.starts_with("program") || name.starts_with("input");
}

}  // namespace tare::study
