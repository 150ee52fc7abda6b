// profile_tables.h: tables and sentences of a profile.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "format/sampled_profile.h"
#include "measure/count/tally.h"
#include "measure/profile/profile_diff.h"
#include "measure/profile/profile_plan.h"
#include "measure/profile/profile_shares.h"
#include "report/document.h"

namespace tare::cli {

// What the tables show.
struct ProfileView {
  profile::Part part = profile::Part::kFunction;
  std::size_t top = 20;    // rows; 0: all
  bool inclusive = false;  // sorted by the samples with callees
  bool all = false;        // every table and column, for machines
  bool verbose = false;
  bool tree = false;
  double confidence = 0.95;
};

inline ProfileView WithAll(ProfileView view, bool all) {
  view.all = all;
  return view;
}

// Adds the answer, the tables of shares, how it was sampled, and the call tree.
Result<void> ShowProfile(const format::SampledProfile& profile, const ProfileView& view,
                         report::Document& document);

// The call tree from the outermost functions inwards: a flame graph as a block.
report::Tree CallTree(const format::SampledProfile& profile, double min_percent);

void ShowPlan(const profile::PlanRequest& request, const profile::SamplePlan& plan,
              report::Document& document);

void ShowDiff(const format::SampledProfile& first, const format::SampledProfile& second,
              const profile::ProfileDiff& diff, const ProfileView& view,
              report::Document& document);

// Sampled shares beside shares of executed instructions.
Result<void> ShowBoth(const format::SampledProfile& profile, const count::Tally& tally,
                      const ProfileView& view, report::Document& document);

}  // namespace tare::cli
