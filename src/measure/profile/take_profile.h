// take_profile.h: samples a program, a running process or the whole system.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/caveat.h"
#include "base/result.h"
#include "base/stop.h"
#include "format/sampled_profile.h"
#include "measure/profile/sampling_events.h"
#include "measure/run/process.h"

namespace tare::profile {

struct ProfileRequest {
  // One of: a program, a process, the whole system. The system may be sampled while a program runs.
  std::optional<run::ResolvedProgram> program;
  run::Setting setting;
  std::optional<pid_t> process;
  bool system = false;
  std::optional<double> seconds;  // of a process or the system; absent: until it ends
  SamplingPlan plan;
  std::string machine;  // name of this machine, for the file
  bool measure_cost = true;
  // Gets what was sampled so far, several times a second and on another thread; may be empty. May
  // take the samples out of the profile, which then gets those that follow.
  std::function<void(format::SampledProfile&)> checkpoint;
  StopAsked interrupted;
};

struct ProfileRun {
  format::SampledProfile profile;
  std::optional<run::Finished> finished;  // of the program
};

Result<ProfileRun> TakeProfile(const ProfileRequest& request);

// Adds the samples of `more`. kUsage with the difference if its conditions were not the same:
// another program, build, machine, event or rate (section 6.3.1 of Lilja's Measuring Computer
// Performance).
Result<void> AddSamples(format::SampledProfile& profile, const format::SampledProfile& more);

}  // namespace tare::profile
