// profile_files.h: profiles that were stored by `tare profile -o`.
#pragma once

#include "cli/command.h"
#include "cli/commands/profile/profile_options.h"
#include "cli/commands/profile/profile_tables.h"

namespace tare::cli {

// Adds and shows, or compares, the profiles that the operands name.
Result<Outcome> ShowStoredProfiles(const ProfileOptions& options, const Session& session,
                                   const ProfileView& view);

}  // namespace tare::cli
