// described_machine.h: the machine that --machine names: a machine profile or a processor
// description.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "machine/profile/machine_profile.h"
#include "model/core/processor.h"

namespace tare::cli {

// Two kinds of files describe machines. Which command needs which:
//
//   rates and caches, so a machine profile:      machine show, compare, edit, project; predict
//   caches, TLBs and predictors, so a processor: count, trace, perturb, proxy --machine;
//     a machine profile is converted (model::FromProfile), and what it lacks is assumed
//   caches and TLBs, so either:                  sign --machine
//
// A processor description cannot become a profile: it has no rates. docs/commands/machine.md says
// the same for users.
struct DescribedMachine {
  std::optional<machine_profile::Profile> profile;
  std::optional<model::Processor> processor;  // unless there is a profile

  const std::string& name() const { return profile ? profile->name : processor->name; }
};

// By name or path: first among the profiles, then among the processor descriptions. The error for
// an unknown name suggests the nearest one or lists both kinds. An empty word names the newest
// profile of this machine, or else the processor description that resembles it.
Result<DescribedMachine> FindDescribedMachine(const std::string& word);

}  // namespace tare::cli
