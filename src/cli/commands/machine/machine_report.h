// machine_report.h: a machine profile as a document: the plot first, then the numbers.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/command.h"
#include "machine/profile/machine_profile.h"
#include "report/document.h"

namespace tare::cli {

struct ProfileView {
  std::vector<std::string> curves;  // to show in addition to the default ones; see ChooseCurves
  bool hits = false;                // shares of accesses that hit each cache
};

// Title, blocks and caveats. Text has the most important blocks, machine-readable output
// (`all`) every one. Curves that the profile lacks are computed from its levels.
Result<report::Document> ProfileDocument(const machine_profile::Profile& profile,
                                         const ProfileView& view, bool all);

// The blocks of such a document that text has only with --verbose.
std::vector<std::string> ProfileDetails();

}  // namespace tare::cli
