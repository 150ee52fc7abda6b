// single_step.h: testing whether this process may trace and single-step a child process.
#pragma once

#include <string>

namespace tare::host {

struct SingleStep {
  bool works = false;
  std::string reason;  // why not
};

// Forks a child that calls PTRACE_TRACEME, steps it a few instructions and kills it. Takes about a
// millisecond and leaves no process behind. No other thread may reap arbitrary children meanwhile.
SingleStep TrySingleStep();

}  // namespace tare::host
