// described_machine.cc: profiles first, then processor descriptions.
#include "cli/commands/machine/described_machine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <vector>

#include "base/near_match.h"
#include "base/printable.h"
#include "cli/commands/count/count_options.h"
#include "cli/machine_profiles.h"
#include "model/core/processor_file.h"

namespace tare::cli {
namespace {

std::unexpected<Error> UnknownMachine(const std::string& word,
                                      const std::vector<std::string>& profiles,
                                      const std::vector<std::string>& processors) {
  std::vector<std::string_view> names(profiles.begin(), profiles.end());
  names.insert(names.end(), processors.begin(), processors.end());
  const std::string nearest = DidYouMean(word, names);
  if (!nearest.empty()) {
    return Fail(ErrorKind::kUsage,
                fmt::format("no such machine: '{}'{}", Printable(word), Printable(nearest)));
  }
  const auto list = [](const std::vector<std::string>& of) {
    return of.empty() ? "none" : Printable(fmt::format("{}", fmt::join(of, ", ")));
  };
  return Fail(ErrorKind::kUsage,
              fmt::format("no such machine: '{}'; profiles: {}; processor descriptions: {}",
                          Printable(word), list(profiles), list(processors)));
}

Result<DescribedMachine> ThisDescribedMachine() {
  DescribedMachine machine;
  if (auto profile = ProfileOf("")) {
    machine.profile = *std::move(profile);
    return machine;
  }
  TRY(machine.processor, ChooseProcessor(""));
  return machine;
}

}  // namespace

Result<DescribedMachine> FindDescribedMachine(const std::string& word) {
  if (word.empty()) return ThisDescribedMachine();
  DescribedMachine machine;
  if (word.ends_with(".toml")) {
    TRY(machine.processor, model::ReadProcessor(word));
    return machine;
  }
  if (machine_profile::IsPath(word)) {
    TRY(machine.profile, ProfileOf(word));
    return machine;
  }
  std::vector<std::string> profiles;
  for (machine_profile::NamedProfile& named : machine_profile::List(ProfileDirectories())) {
    if (named.name == word) {
      if (!named.profile) return Fail(ErrorKind::kFormat, named.reason);
      machine.profile = std::move(named.profile);
      return machine;
    }
    profiles.push_back(named.name);
  }
  std::vector<std::string> processors;
  for (const model::NamedProcessor& named : model::ListProcessors(ProcessorDirectories())) {
    if (named.name == word) {
      TRY(machine.processor, model::ReadProcessor(named.path));
      return machine;
    }
    processors.push_back(named.name);
  }
  return UnknownMachine(word, profiles, processors);
}

}  // namespace tare::cli
