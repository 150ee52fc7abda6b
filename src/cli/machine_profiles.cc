// machine_profiles.cc: directories, names and paths of profiles.
#include "cli/machine_profiles.h"

#include <fmt/format.h>

#include <system_error>

#include "base/printable.h"
#include "base/state_directory.h"
#include "cli/provenance.h"
#include "machine/profile/profile_file.h"

namespace tare::cli {
namespace {

Result<std::filesystem::path> StoredProfileDirectory() {
  TRY(const auto state, StateDirectory(EnvironmentText("XDG_STATE_HOME"), EnvironmentText("HOME")));
  return state / "machines";
}

Result<machine_profile::Profile> OfThisMachine() {
  const std::string machine = ThisMachine().machine;
  TRY(const auto directory, StoredProfileDirectory());
  const std::vector<std::filesystem::path> directories = {directory};
  std::optional<machine_profile::Profile> newest;
  for (machine_profile::NamedProfile& named : machine_profile::List(directories)) {
    if (!named.profile || named.profile->machine != machine) continue;
    if (named.profile->origin != machine_profile::Origin::kMeasured) continue;
    if (!newest || newest->time < named.profile->time) newest = std::move(named.profile);
  }
  if (newest) return *std::move(newest);
  return Fail(ErrorKind::kIo,
              fmt::format("no profile of this machine in {}; create one with tare machine measure, "
                          "or name one that tare machine list shows",
                          Printable(directory.string())));
}

}  // namespace

std::vector<std::filesystem::path> ShippedDirectories(const std::filesystem::path& executable) {
  const auto beside = executable.parent_path();
  return {beside / "machines", beside.parent_path() / "share" / "tare" / "machines"};
}

std::vector<std::filesystem::path> ProfileDirectories() {
  std::vector<std::filesystem::path> directories;
  if (const auto kept = StoredProfileDirectory()) directories.push_back(*kept);
  std::error_code error;
  const auto executable = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return directories;
  for (const auto& directory : ShippedDirectories(executable)) directories.push_back(directory);
  return directories;
}

std::vector<std::filesystem::path> ProcessorDirectories() {
  std::vector<std::filesystem::path> directories;
  for (const std::filesystem::path& profiles : ProfileDirectories())
    directories.push_back(profiles.parent_path() / "processors");
  return directories;
}

Result<std::filesystem::path> StoredProfilePath(const std::string& name) {
  TRY_VOID(machine_profile::RequireName(name));
  TRY(const auto directory, StoredProfileDirectory());
  return directory / fmt::format("{}.json", name);
}

std::string ThisMachinesProfileName() {
  std::string name = AsFileName(ThisMachine().machine);
  while (name.starts_with('-') || name.starts_with('.')) name.erase(0, 1);
  return name.empty() ? "machine" : name;
}

Result<machine_profile::Profile> ProfileOf(const std::string& word) {
  if (word.empty()) return OfThisMachine();
  TRY(auto named, machine_profile::Find(word, ProfileDirectories()));
  if (!named.profile) return Fail(ErrorKind::kFormat, named.reason);
  return *std::move(named.profile);
}

Result<std::string> StoreProfile(const machine_profile::Profile& profile, const std::string& file,
                                 const std::string& name) {
  if (file.empty() && name.empty()) return "Not stored; use --name NAME or -o FILE to store it.";
  std::filesystem::path path = file;
  if (file.empty()) {
    TRY(path, StoredProfilePath(name));
  }
  TRY_VOID(machine_profile::WriteProfile(path, profile));
  return fmt::format("Stored in {}; tare machine show {} shows it.", path.string(),
                     file.empty() ? name : path.string());
}

}  // namespace tare::cli
