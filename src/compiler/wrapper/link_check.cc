// link_check.cc: compares the requested metrics with those that a program counts.
#include "compiler/wrapper/link_check.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <system_error>

#include "base/near_match.h"
#include "base/printable.h"
#include "binary/elf/elf_image.h"
#include "compiler/wrapper/near_candidate.h"

namespace tare::wrapper {
namespace {

using format::PlannedMetric;
using metrics::MetricsFile;

bool MatchesOne(const std::vector<std::string>& globs, const std::string& name) {
  return std::ranges::any_of(globs, [&](const std::string& glob) {
    return ::fnmatch(glob.c_str(), name.c_str(), 0) == 0;
  });
}

// libtool prefixes the name of a program that it links for the build directory with "lt-".
std::string NameOfOutput(const std::string& output) {
  std::string name = std::filesystem::path(output).filename().string();
  if (name.starts_with("lt-")) name.erase(0, 3);
  return name;
}

bool IsWanted(const MetricsFile& metrics, std::size_t i, const std::string& name, bool is_library) {
  if (!metrics.places[i].in.empty()) return MatchesOne(metrics.places[i].in, name);
  if (!metrics.programs.empty()) return MatchesOne(metrics.programs, name);
  return !is_library;
}

// Object files do not contain the positions of all their lines and loops.
std::string WhereToLook(const PlannedMetric& metric) {
  if (metric.event != format::MetricEvent::kLine && metric.event != format::MetricEvent::kLoop) {
    return "";
  }
  return fmt::format("; tare-cc --list {} lists what can be counted",
                     Printable(metric.what.substr(0, metric.what.rfind(':'))));
}

std::string Sentence(const MetricsFile& metrics, std::size_t i, const std::string& name,
                     const std::string& near) {
  const PlannedMetric& metric = metrics.plan.metrics[i];
  return fmt::format("{}:{}:{}: {} = \"{}\" matches nothing in {}{}{}",
                     Printable(metrics.path.string()), metrics.places[i].line,
                     metrics.places[i].column, KeyOf(metric.event), Printable(metric.what),
                     metric.file.empty() ? "" : fmt::format("{} of ", Printable(metric.file)),
                     Printable(name), near.empty() ? WhereToLook(metric) : near);
}

}  // namespace

std::filesystem::path OutputOf(const CompilerArguments& arguments) {
  return arguments.output.empty() ? "a.out" : arguments.output;
}

LinkVerdict CheckMetrics(const MetricsFile& metrics, const std::string& output,
                         const CountedModule& module, std::span<const CountedModule> libraries) {
  const std::string name = NameOfOutput(output);
  std::vector<format::Candidate> candidates = module.candidates;
  for (const CountedModule& library : libraries) {
    candidates.insert(candidates.end(), library.candidates.begin(), library.candidates.end());
  }
  LinkVerdict verdict;
  bool one_found = false;
  bool one_near = false;
  bool by_name = !metrics.programs.empty();
  for (std::size_t i = 0; i < metrics.plan.metrics.size(); ++i) {
    if (!IsWanted(metrics, i, name, module.is_library)) continue;
    by_name = by_name || !metrics.places[i].in.empty();
    const std::string& metric = metrics.plan.metrics[i].name;
    const bool found = module.metrics.contains(metric) ||
                       std::ranges::any_of(libraries, [&](const CountedModule& library) {
                         return library.metrics.contains(metric);
                       });
    one_found = one_found || found;
    if (found) continue;
    const std::string near = NearCandidate(metrics.plan.metrics[i], candidates);
    one_near = one_near || !near.empty();
    verdict.unknown.push_back(Sentence(metrics, i, name, near));
  }
  if (verdict.unknown.empty() || by_name || one_found || one_near) return verdict;
  verdict.unknown.clear();
  verdict.not_meant = true;
  return verdict;
}

std::vector<std::filesystem::path> LinkedLibraries(const CompilerArguments& arguments) {
  std::vector<std::filesystem::path> paths;
  for (const CompilerInput& input : arguments.inputs) {
    const std::string name = std::filesystem::path(input.path).filename().string();
    if (!input.source && (name.ends_with(".so") || name.contains(".so."))) {
      paths.emplace_back(input.path);
    }
  }
  for (const std::string& library : arguments.libraries) {
    for (const std::string& directory : arguments.library_directories) {
      const auto path = std::filesystem::path(directory) / fmt::format("lib{}.so", library);
      std::error_code ignored;
      if (!std::filesystem::exists(path, ignored)) continue;
      paths.push_back(path);
      break;
    }
  }
  return paths;
}

Result<LinkVerdict> CheckLinked(const MetricsFile& metrics, const CompilerArguments& arguments) {
  const std::filesystem::path output = OutputOf(arguments);
  const auto module = ReadCountedModule(output);
  // The output may not be an ELF file, because linker scripts can produce anything.
  if (!module && module.error().kind == ErrorKind::kUnsupported) return LinkVerdict{};
  if (!module) return std::unexpected(module.error());
  std::vector<CountedModule> libraries;
  for (const auto& path : LinkedLibraries(arguments)) {
    auto library = ReadCountedModule(path);
    if (library) libraries.push_back(std::move(*library));
  }
  return CheckMetrics(metrics, output.string(), *module, libraries);
}

Result<LinkVerdict> CheckLinkedByGcc(const MetricsFile& metrics,
                                     const CompilerArguments& arguments) {
  const std::filesystem::path output = OutputOf(arguments);
  const auto image = elf::OpenElf(output);
  if (!image && image.error().kind == ErrorKind::kUnsupported) return LinkVerdict{};
  if (!image) return std::unexpected(image.error());
  CountedModule module;
  module.is_library = image->type() == elf::FileType::kSharedLibrary;
  // Without symbols, as with -s, the check is impossible.
  if (image->stripped()) return LinkVerdict{};
  for (const elf::Function& function : image->functions()) {
    module.candidates.push_back({.kind = format::CandidateKind::kFunction,
                                 .name = function.name,
                                 .file = {},
                                 .line = 0,
                                 .detail = {}});
  }
  for (const PlannedMetric& metric : metrics.plan.metrics) {
    if (image->FindFunction(metric.what)) module.metrics.insert(metric.name);
  }
  return CheckMetrics(metrics, output.string(), module, {});
}

}  // namespace tare::wrapper
