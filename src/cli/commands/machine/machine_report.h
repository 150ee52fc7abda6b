// machine_report.h: a machine profile as a document: the picture first, then the numbers.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/command.h"
#include "machine/profile/machine_profile.h"
#include "report/document.h"

namespace tare::cli {

struct ProfileView {
  std::vector<std::string> curves;  // to show besides the usual ones; see ChooseCurves
  bool hits = false;                // shares of accesses that the caches serve
};

// Title, blocks and caveats. People see what matters, programs all of it. Curves that the profile
// lacks are computed from its levels.
Result<report::Document> ProfileDocument(const machine_profile::Profile& profile,
                                         const ProfileView& view, const Session& session);

}  // namespace tare::cli
