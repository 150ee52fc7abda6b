// builds.cc: runs the build command and copies its results.
#include "analysis/perturb/builds.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <system_error>

#include "base/file.h"
#include "base/printable.h"
#include "base/stop.h"
#include "measure/run/process.h"

namespace tare::perturb {
namespace {

constexpr std::size_t kShownBytes = 1000;

// The end of the output, beginning at the start of a line.
std::string LastLines(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (text.size() > kShownBytes) text.erase(0, text.find('\n', text.size() - kShownBytes) + 1);
  return Printable(text);
}

// Modification time of the program; absent if there is none.
std::optional<std::filesystem::file_time_type> TimeOf(const std::filesystem::path& file) {
  std::error_code error;
  const auto time = std::filesystem::last_write_time(file, error);
  return error ? std::nullopt : std::optional(time);
}

}  // namespace

Result<Builds> Builds::Make(BuildRequest request) {
  TRY(auto directory, PrivateDirectory::MakeOnDisk());
  std::error_code error;
  request.product = std::filesystem::absolute(request.product, error);
  request.metrics = std::filesystem::absolute(request.metrics, error);
  if (error) return Fail(ErrorKind::kUnsupported, "the current directory cannot be determined");
  return Builds(std::move(request), std::move(directory));
}

Result<void> Builds::Run(const MetricSet& metrics, std::size_t placement) const {
  TRY(const auto shell, run::Resolve({{"/bin/sh", "-c", request_.command}}));
  run::Setting setting;
  setting.randomize_addresses = true;
  setting.input.from = run::Input::From::kNothing;
  setting.output = run::Output::kCaptured;
  setting.errors = run::Output::kCaptured;
  setting.environment.unset = {"TARE_METRICS", "TARE_ONLY", "TARE_PLACEMENT"};
  if (!metrics.empty()) {
    setting.environment.set = {{"TARE_METRICS", request_.metrics.string()},
                               {"TARE_ONLY", fmt::format("{}", fmt::join(metrics, "\n"))}};
  }
  if (placement != 0) {
    setting.environment.set.emplace_back("TARE_PLACEMENT", std::to_string(placement));
  }
  run::Hooks hooks;
  hooks.interrupted = request_.interrupted;
  TRY(const auto finished, run::RunProgram(shell, setting, hooks));
  if (finished.ended.interrupted) return Stopped();
  const int status = finished.ended.ShellStatus();
  if (status == 0) return {};
  return Fail(ErrorKind::kUsage,
              fmt::format("--build failed with exit status {}: {}", status,
                          LastLines(finished.errors.empty() ? finished.output : finished.errors)));
}

Result<std::filesystem::path> Builds::With(const MetricSet& metrics, std::size_t placement) {
  const std::pair key(metrics, placement);
  if (const auto known = built_.find(key); known != built_.end()) return known->second;
  const auto before = TimeOf(request_.product);
  TRY_VOID(Run(metrics, placement));
  const auto after = TimeOf(request_.product);
  if (!after) {
    return Fail(ErrorKind::kUsage,
                fmt::format("--build did not create {}", Printable(request_.product.string())));
  }
  if (before == after) {
    return Fail(
        ErrorKind::kUsage,
        fmt::format("--build did not rebuild {}: other metrics do not change source files, so the "
                    "command must start with make clean or similar",
                    Printable(request_.product.string())));
  }
  // Numbers of equal length, because the program can see the length of its path.
  const auto directory = directory_.path() / fmt::format("{:04}", built_.size());
  std::error_code error;
  std::filesystem::create_directory(directory, error);
  const auto copy = directory / request_.product.filename();
  if (!error) std::filesystem::copy_file(request_.product, copy, error);
  if (error) return std::unexpected(SystemError("write", copy, error.value()));
  built_.emplace(key, copy);
  return copy;
}

}  // namespace tare::perturb
