// compiled_run.cc: runs clang with the plugin and the runtime, and reads the counters.
#include "compiled_run.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>
#include <utility>

#include "format/software_counters.h"

namespace tare::compiled {
namespace {

using format::CounterFile;
using format::SlotKind;
using format::SlotMetric;

std::string Quoted(const std::string& word) {
  std::string text = "'";
  for (const char letter : word)
    text += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return text + "'";
}

std::string KindName(SlotKind kind) {
  switch (kind) {
    case SlotKind::kCount:
      return "";
    case SlotKind::kSum:
      return " sum";
    case SlotKind::kMinimum:
      return " minimum";
    case SlotKind::kMaximum:
      return " maximum";
    case SlotKind::kHistogram:
      return " histogram";
  }
  return "";
}

void AddSlot(const CounterFile& file, const SlotMetric& metric, Counts& counts) {
  const std::string name =
      (metric.is_function ? "function " : "") + metric.name + KindName(metric.kind);
  if (metric.kind == SlotKind::kHistogram) {
    for (std::uint64_t bucket = 0; bucket <= 64; ++bucket) {
      const std::uint64_t count = file.ReadSlot(metric.slot + bucket, SlotKind::kCount);
      if (count > 0) counts[fmt::format("{} {}", name, bucket)] += static_cast<std::int64_t>(count);
    }
    return;
  }
  const auto value = format::ValueOfSlot(metric, file.ReadSlot(metric.slot, metric.kind));
  if (!value) return;
  const auto [known, is_new] = counts.try_emplace(name, *value);
  if (is_new) return;
  if (metric.kind == SlotKind::kMinimum) {
    known->second = std::min(known->second, *value);
  } else if (metric.kind == SlotKind::kMaximum) {
    known->second = std::max(known->second, *value);
  } else {
    known->second += *value;
  }
}

}  // namespace

Built Shell(const std::string& command) {
  Built result;
  FILE* pipe = popen((command + " 2>&1").c_str(), "re");
  if (pipe == nullptr) return result;
  char buffer[4096];
  while (const std::size_t count = fread(buffer, 1, sizeof buffer, pipe)) {
    result.messages.append(buffer, count);
  }
  const int status = pclose(pipe);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

std::string WhyNot() {
#if defined(TARE_CLANG) && defined(TARE_PLUGIN) && defined(TARE_RUNTIME)
  return "";
#else
  return "clang 19 or llvm-19-dev is not installed: the plugin was not built";
#endif
}

#if !defined(TARE_CLANG)
#define TARE_CLANG ""
#endif
#if !defined(TARE_PLUGIN)
#define TARE_PLUGIN ""
#endif
#if !defined(TARE_RUNTIME)
#define TARE_RUNTIME ""
#endif

std::string CompilerCommand() { return TARE_CLANG " -fpass-plugin=" TARE_PLUGIN; }

std::filesystem::path SourceFile(const std::string& name) {
  return std::filesystem::path(TARE_SOURCE_DIR) / "tests/programs/compiled" / name;
}

std::string MarkedLine(const std::string& name, const std::string& mark) {
  std::ifstream file(SourceFile(name));
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.ends_with("// " + mark)) return fmt::format("{}:{}", name, number);
  }
  ADD_FAILURE() << name << " has no line marked " << mark;
  return name + ":1";
}

CompiledProgram::CompiledProgram(std::vector<std::string> sources, format::InstrumentPlan plan)
    : sources_(std::move(sources)), plan_(std::move(plan)) {
  std::string name = (std::filesystem::temp_directory_path() / "compiled-test-XXXXXX").string();
  if (mkdtemp(name.data()) != nullptr) directory_ = name;
}

CompiledProgram::~CompiledProgram() {
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

Built CompiledProgram::Build(const std::vector<std::string>& flags) {
  const bool cxx = sources_.front().ends_with(".cc");
  std::string command = fmt::format(
      "{}={} {} {} -o {}", format::kPlanVariable, Quoted(format::PlanText(plan_)),
      CompilerCommand(), cxx ? "--driver-mode=g++ -std=c++20 -fstandalone-debug" : "-std=gnu11",
      Quoted(Executable()));
  for (const std::string& flag : flags) command += " " + flag;
  for (const std::string& source : sources_) command += " " + Quoted(SourceFile(source));
  return Shell(command + " " TARE_RUNTIME " -lpthread");
}

std::string CompiledProgram::Run() {
  const auto run = directory_ / "run";
  std::filesystem::remove_all(run);
  std::filesystem::create_directory(run);
  const Built result =
      Shell(fmt::format("TARE_RUN={} {}", Quoted(run.string()), Quoted(Executable())));
  EXPECT_EQ(result.status, 0) << result.messages;
  return result.messages;
}

Counts CompiledProgram::Counted() const {
  std::vector<CounterFile> files;
  std::set<format::EntryMetric> entries;
  for (const auto& entry : std::filesystem::directory_iterator(directory_ / "run")) {
    auto file = CounterFile::Open(entry.path());
    if (!file) {
      ADD_FAILURE() << file.error().message;
      continue;
    }
    entries.insert(file->Entries().begin(), file->Entries().end());
    files.push_back(std::move(*file));
  }
  Counts counts;
  for (const CounterFile& file : files) {
    for (const SlotMetric& metric : file.Metrics()) {
      if (!entries.contains({metric.name, metric.site})) AddSlot(file, metric, counts);
    }
  }
  return counts;
}

}  // namespace tare::compiled
