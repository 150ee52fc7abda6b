// block_vectors.h: basic-block vectors in the format of SimPoint.
#pragma once

#include <string>

#include "predict/signature/collect.h"

namespace tare::signature {

// One line per interval: "T:1:30 :4:12 ", blocks numbered from 1, with the instructions that each
// executed in the interval (Sherwood et al., "Automatically Characterizing Large Scale Program
// Behavior", 2002; SimPoint 3, frequency vector files).
std::string FormatBlockVectors(const Collected& collected);

}  // namespace tare::signature
