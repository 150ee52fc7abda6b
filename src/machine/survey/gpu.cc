// gpu.cc: compiling and running the GPU program, and parsing its output.
#include "machine/survey/gpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <optional>

#include "base/file.h"
#include "base/printable.h"
#include "base/private_directory.h"
#include "base/split.h"
#include "base/stop.h"
#include "machine/host/installed_program.h"
#include "machine/survey/sampler.h"

namespace tare::survey {
namespace {

constexpr std::string_view kUsualNvcc = "/usr/local/cuda/bin";
constexpr std::chrono::minutes kMaxTime{3};

std::optional<double> NumberIn(std::string_view word) {
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  if (!std::isfinite(value) || !(value > 0)) return std::nullopt;
  return value;
}

std::unexpected<Error> BadLine(std::string_view line) {
  return Fail(ErrorKind::kFormat, fmt::format("unexpected output of the GPU program: '{}'",
                                              Printable(line.substr(0, 200))));
}

void AddPoint(GpuFindings& findings, std::string name, std::string unit, double x,
              const Measured& figure) {
  auto graph = std::ranges::find(findings.graphs, name, &machine_profile::Graph::name);
  if (graph == findings.graphs.end()) {
    findings.graphs.push_back({std::move(name), "working set", "B", std::move(unit), {}});
    graph = std::prev(findings.graphs.end());
  }
  graph->points.push_back({x, figure});
}

Result<void> AddLine(std::string_view line, GpuFindings& findings) {
  const auto words = Split(line, '\t');
  if (words.size() < 4) return BadLine(line);
  if (words[0] == "model") {
    findings.model = Printable(words[3]);
    return {};
  }
  Samples samples;
  for (std::size_t i = 3; i < words.size(); ++i) {
    const auto value = NumberIn(words[i]);
    if (!value) return BadLine(line);
    samples.values.push_back(*value);
  }
  Measured figure = FigureOf(samples);
  std::string name = Printable(words[0]);
  std::string unit = Printable(words[1]);
  if (samples.values.size() == 1) {
    // A reported property, not a measurement.
    figure = WithOrigin(machine_profile::Origin::kReported, Unbounded(samples.values[0]));
    findings.rates.push_back({fmt::format("GPU {}", name), unit, figure, "reported by the driver"});
  } else if (words[2] == "-") {
    findings.rates.push_back({name, unit, figure, "measured by kernels on the GPU"});
  } else {
    const auto x = NumberIn(words[2]);
    if (!x) return BadLine(line);
    AddPoint(findings, name, unit, *x, figure);
  }
  return {};
}

std::string_view FirstLine(std::string_view text) { return text.substr(0, text.find('\n')); }

Result<std::string> Output(const std::filesystem::path& program,
                           const std::vector<std::string>& arguments, std::string_view what) {
  TRY(const auto output,
      host::RunBriefly(program, arguments, {.time = kMaxTime, .output_bytes = 1 << 20}));
  if (output.exit_status == 0) return output.text;
  return Fail(ErrorKind::kUnsupported,
              fmt::format("{}: {}", what, Printable(FirstLine(output.text).substr(0, 300))));
}

}  // namespace

Result<GpuFindings> ParseGpuLines(std::string_view text) {
  GpuFindings findings;
  for (const std::string_view line : Split(text, '\n')) {
    if (!line.empty()) TRY_VOID(AddLine(line, findings));
  }
  for (machine_profile::Graph& graph : findings.graphs) {
    std::ranges::sort(graph.points, {}, &machine_profile::GraphPoint::x);
  }
  if (findings.rates.empty()) return BadLine("");
  return findings;
}

Result<GpuFindings> MeasureGpu(const Progress& progress) {
  const auto nvcc = host::FindProgram("nvcc", fmt::format("{}:{}", host::SearchPath(), kUsualNvcc));
  if (!nvcc)
    return Fail(ErrorKind::kUnsupported,
                "nvcc is not installed, which compiles the program that measures the GPU");
  TRY(const auto scratch, PrivateDirectory::MakeOnDisk());
  const auto source = scratch.path() / "gpu_memory.cu";
  const auto program = scratch.path() / "gpu_memory";
  TRY_VOID(WriteFileAtomically(source, GpuSource()));
  if (!progress(0, "compiling for the GPU")) return Stopped();
  TRY_VOID(Output(*nvcc,
                  {"-O3", "-std=c++17", "-arch=native", "-o", program.string(), source.string()},
                  "nvcc failed"));
  if (!progress(0.3, "measuring the GPU")) return Stopped();
  TRY(const auto text, Output(program, {}, "cannot measure the GPU"));
  return ParseGpuLines(text);
}

}  // namespace tare::survey
