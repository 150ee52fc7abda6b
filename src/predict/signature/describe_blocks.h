// describe_blocks.h: from what a run collected to the signature of the program: functions, source
// lines, loops, work and dependences of each block.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "measure/count/images.h"
#include "predict/signature/collect.h"
#include "predict/signature/signature.h"

namespace tare::signature {

// The code of one process, described. The numbers of the whole run other than executions are 0.
struct DescribedCode {
  std::vector<Block> blocks;  // in the order of the recording
  std::vector<Loop> loops;    // of all functions; parents have larger indices than their children
};

// `objects` gets the files of the code that are not in it yet. Blocks refer to them by index.
DescribedCode DescribeCode(const format::Recording& recording, decode::Architecture architecture,
                           count::Images& images, std::vector<Object>& objects);

// What the signature says about the run beside its blocks.
struct SignedRun {
  std::vector<std::string> command;
  std::string tare;
  std::string time;
  std::string machine;
};

// kUnsupported when nothing was collected, or processes have different architectures.
Result<Signature> Describe(const Collected& collected, const SignedRun& run, count::Images& images);

}  // namespace tare::signature
