// reference.h: a program on its own, and whether the controlled environment changes how it ends.
#pragma once

#include <functional>
#include <vector>

#include "base/caveat.h"
#include "base/result.h"
#include "measure/run/process.h"
#include "measure/run/setting.h"

namespace tare::run {

struct Reference {
  Finished finished;             // the first run, with nothing added to its environment
  Setting setting;               // for all further runs
  std::vector<Caveat> caveats;   // of both
  bool control_dropped = false;  // the setting was changed: control changes the exit status
};

struct ReferencePlan {
  Setting setting;  // as asked for; the first run has its standard streams
  // One run of the program. Both fail when the user stops it.
  std::function<Result<Finished>(const Setting&)> run_plain;
  std::function<Result<Finished>(const Setting&)> run_controlled;  // its setting is silenced
  bool always_controlled = false;  // run it even where nothing could be learnt from it
};

// Runs the program on its own, then under control. Where that ends otherwise and another run on its
// own ends like the first, the control is the cause and is dropped. The runs that are compared with
// the first have a time limit, a hundred times its time and a minute at least: a program that
// writes for ever into a pipe ends there with its reader.
Result<Reference> FindReference(const ReferencePlan& plan);

// How the program ends without control, when that is otherwise than `ended`, a run under control
// that failed; nothing when it did not fail, was ended by us, or ends so anyway.
Result<std::optional<Ended>> OtherEndWithoutControl(
    const Setting& setting, const Finished& controlled,
    const std::function<Result<Finished>(const Setting&)>& run);

// The same, where the environment is what the program would find without us.
Setting WithoutControl(Setting setting);

}  // namespace tare::run
