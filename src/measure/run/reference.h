// reference.h: the native run of a program, and whether the controlled environment changes its exit
// status.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/caveat.h"
#include "base/result.h"
#include "measure/run/output_digest.h"
#include "measure/run/process.h"
#include "measure/run/setting.h"

namespace tare::run {

struct Reference {
  Finished finished;            // of the first run, whose environment is unchanged
  Setting setting;              // for all further runs
  std::vector<Caveat> caveats;  // of both runs
  bool control_dropped =
      false;  // the controlled environment changed the exit status, so `setting` is without it
};

struct ReferencePlan {
  Setting setting;  // as requested; the first run uses its standard streams
  // Each runs the program once and fails when the user interrupts.
  std::function<Result<Finished>(const Setting&)> run_plain;
  std::function<Result<Finished>(const Setting&)> run_controlled;  // called with the output hashed
  bool always_controlled = false;  // run it even if the comparison can show nothing
};

// Runs the program natively, then in the controlled environment. If the exit status differs and a
// second native run ends like the first, the environment is the cause and is dropped. The runs
// after the first have a timeout of a hundred times its duration, and at least a minute: a program
// that writes to a pipe forever ends natively when its reader ends.
Result<Reference> FindReference(const ReferencePlan& plan);

// How the program ends without the controlled environment, if that differs from `controlled`, a run
// that failed. Absent if that run succeeded, was ended by tare, or ends the same way without
// control.
Result<std::optional<Ended>> OtherEndWithoutControl(
    const Setting& setting, const Finished& controlled,
    const std::function<Result<Finished>(const Setting&)>& run);

// How the output under an engine differs from the native one, in words. Absent if it does not, or
// if the native outputs differ among themselves. `native` is not empty; if it has one element,
// `run_again` makes a further native run.
Result<std::optional<std::string>> OutputDifference(
    const OutputDigest& output, std::vector<OutputDigest> native,
    const std::function<Result<Finished>()>& run_again);

// The setting of a further run that only its output's hash shows, with a timeout derived from the
// duration of the first.
Setting SilentRepetition(Setting setting, double seconds);

// The same setting with the environment that the program would have without tare.
Setting WithoutControl(Setting setting);

}  // namespace tare::run
