// validation.h: predicts a program for this machine and measures it here.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/caveat.h"
#include "base/measured.h"
#include "base/progress.h"
#include "base/result.h"
#include "base/stop.h"
#include "machine/host/engine_files.h"
#include "machine/profile/machine_profile.h"
#include "measure/run/process.h"
#include "predict/convolve/prediction.h"
#include "predict/signature/describe_blocks.h"

namespace tare::convolve {

struct ValidationRequest {
  run::ResolvedProgram program;
  run::Setting setting;
  std::optional<double> engine_seconds;  // limit of the run under the engine; infinity: none
  machine_profile::Profile profile;      // of this machine
  signature::SignedRun signed_run;
  signature::Sampling sampling;
  std::size_t runs = 10;  // native ones: half before the run under the engine, half after it
  StopAsked interrupted;
};

struct Validation {
  run::Finished first;   // the first native run, whose output is passed on
  run::Setting setting;  // of the others
  signature::Signature signature;
  SignatureWork work;
  MachineRates rates;
  Prediction prediction;
  Measured measured;          // median of the user times, in seconds: what a signature describes
  Measured elapsed;           // median of the elapsed times
  double engine_seconds = 0;  // of the run under the engine
  std::vector<Caveat> caveats;

  // (predicted - measured) / measured.
  double Error() const;
  // The prediction's interval contains the measured median.
  bool IsWithin() const;
};

Result<Validation> Validate(const ValidationRequest& request, const host::EngineFiles& files,
                            const Progress& progress);

}  // namespace tare::convolve
