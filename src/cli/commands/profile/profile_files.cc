// profile_files.cc: stored profiles, shown alone, added or compared.
#include "cli/commands/profile/profile_files.h"

#include <fmt/format.h>

#include "base/printable.h"
#include "format/sampled_profile_file.h"
#include "measure/profile/profile_diff.h"

namespace tare::cli {
namespace {

Result<format::SampledProfile> ReadAdded(const std::vector<std::string>& files) {
  TRY(auto profile, format::ReadProfile(files.front()));
  for (std::size_t i = 1; i < files.size(); ++i) {
    TRY(const auto more, format::ReadProfile(files[i]));
    TRY_VOID(profile::AddSamples(profile, more));
  }
  return profile;
}

}  // namespace

Result<Outcome> ShowStoredProfiles(const ProfileOptions& options, const Session& session,
                                   const ProfileView& view) {
  if (options.diff) {
    if (session.operands.size() != 2)
      return Fail(ErrorKind::kUsage, "--diff needs two stored profiles: FILE FILE");
    TRY(const auto first, format::ReadProfile(session.operands[0]));
    TRY(const auto second, format::ReadProfile(session.operands[1]));
    TRY(const auto diff, profile::CompareProfiles(first, second, view.confidence));
    const auto make = [&](bool all) -> Result<report::Document> {
      report::Document document;
      document.title = "Changes between two profiles";
      ShowDiff(first, second, diff, WithAll(view, all), document);
      return document;
    };
    return MakeOutcome(session, make);
  }
  if (session.operands.empty())
    return Fail(ErrorKind::kUsage, "--show needs at least one stored profile: FILE...");
  TRY(const auto profile, ReadAdded(session.operands));
  TRY_VOID(WriteExports(options, profile));
  const auto make = [&](bool all) -> Result<report::Document> {
    report::Document document;
    document.title =
        fmt::format("Profile of {}", Printable(profile::FileNameOf(profile.facts.program)));
    TRY_VOID(ShowProfile(profile, WithAll(view, all), document));
    return document;
  };
  return MakeOutcome(session, make);
}

}  // namespace tare::cli
