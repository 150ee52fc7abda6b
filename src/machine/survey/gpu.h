// gpu.h: the memory of an NVIDIA GPU, measured by a program that nvcc compiles on demand.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "machine/profile/machine_profile.h"

namespace tare::survey {

struct GpuFindings {
  std::string model;
  std::vector<machine_profile::Rate> rates;    // "GPU global load", "GPU L2 random load", ...
  std::vector<machine_profile::Graph> graphs;  // by working-set size
};

// Fails, naming what is missing, where there is no nvcc or no GPU. Takes about half a minute.
Result<GpuFindings> MeasureGpu(const Progress& progress);

// Parses the output of the program; see gpu_memory.cu.
Result<GpuFindings> ParseGpuLines(std::string_view text);

// The source of that program.
std::string_view GpuSource();

}  // namespace tare::survey
