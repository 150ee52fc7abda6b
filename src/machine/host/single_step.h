// single_step.h: whether this process may trace a child and step it instruction by instruction.
#pragma once

#include <string>

namespace tare::host {

struct SingleStep {
  bool works = false;
  std::string reason;  // why not
};

// Forks a child that asks to be traced, steps it a few instructions and kills it. Takes a
// millisecond and leaves nothing behind. The caller must not reap children of others meanwhile.
SingleStep TrySingleStep();

}  // namespace tare::host
