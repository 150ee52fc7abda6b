// capture_cases.h: instrumented programs whose ratios were both predicted and measured.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "analysis/proxy/hook_cost.h"
#include "binary/decode/architecture.h"

namespace tare::proxy {

inline constexpr std::size_t kCaptureMetrics = 15;
// As in table `ratios`.
std::span<const std::string_view> CaptureMetrics();

// A program of docs/studies/proxies.md by one compiler on one architecture. Ratios are instrumented
// over vanilla.
struct CaptureCase {
  std::string_view program;
  decode::Architecture architecture;
  Compiler compiler;
  std::array<double, 3> predicted;               // instructions, loads, stores
  std::array<double, kCaptureMetrics> measured;  // in the order of CaptureMetrics(); 0: none
};
std::span<const CaptureCase> CaptureCases();

}  // namespace tare::proxy
