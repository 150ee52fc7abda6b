// counted_run.h: runs a program with hand-written counters, and reads the counters that it leaves.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "format/software_counters.h"

namespace tare::format {

// Standard output, and the status as waitpid(2) returns it.
struct Ended {
  int status = -1;
  std::string output;
  bool operator==(const Ended&) const = default;
};

// A process and its total of the metric "calls".
struct CountedProcess {
  std::uint64_t process = 0;
  std::uint64_t parent = 0;
  std::uint64_t calls = 0;
};

class CountedRun : public testing::Test {
 protected:
  CountedRun() {
    std::string name = (std::filesystem::temp_directory_path() / "counted-test-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) directory_ = name;
    std::filesystem::create_directory(directory_ / "run");
  }
  ~CountedRun() override {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }
  void SetUp() override {
#if !defined(TARE_COUNTED_PROGRAMS)
    GTEST_SKIP() << "clang is not installed: tare-cc's runtime was not built";
#endif
  }

  static std::filesystem::path Program(const std::string& name) {
#if defined(TARE_COUNTED_PROGRAMS)
    return std::filesystem::path(TARE_COUNTED_PROGRAMS) / name;
#else
    return name;
#endif
  }
  std::filesystem::path RunDirectory() const { return directory_ / "run"; }

  // `before` runs in the child before execve. Without `observed` the program is not observed.
  Ended Run(std::vector<std::string> command, const std::optional<std::filesystem::path>& observed,
            const std::function<void()>& before = {}) const {
    command[0] = Program(command[0]);
    std::vector<char*> arguments;
    for (std::string& argument : command) arguments.push_back(argument.data());
    arguments.push_back(nullptr);
    const std::filesystem::path output = directory_ / "output";
    const pid_t child = fork();
    if (child == 0) {
      const int file = open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
      if (file < 0 || dup2(file, STDOUT_FILENO) < 0) _exit(120);
      close(file);
      unsetenv(TARE_RUN_VARIABLE);
      if (observed) setenv(TARE_RUN_VARIABLE, observed->c_str(), 1);
      if (before) before();
      execv(arguments[0], arguments.data());
      _exit(121);
    }
    Ended ended;
    EXPECT_EQ(waitpid(child, &ended.status, 0), child);
    ended.output = ReadFile(output, 1 << 20).value_or("");
    return ended;
  }
  Ended Observed(std::vector<std::string> command, const std::function<void()>& before = {}) const {
    return Run(std::move(command), RunDirectory(), before);
  }

  // Returns all counter files of the run.
  std::vector<CounterFile> Files() const {
    std::vector<CounterFile> files;
    for (const auto& entry : std::filesystem::directory_iterator(RunDirectory())) {
      if (entry.path().filename() == TARE_RUN_REQUEST) continue;
      auto file = CounterFile::Open(entry.path());
      EXPECT_TRUE(file) << (file ? "" : file.error().message);
      if (file) files.push_back(std::move(*file));
    }
    return files;
  }

  static std::uint64_t Value(const CounterFile& file, const std::string& name) {
    for (const SlotMetric& metric : file.Metrics()) {
      if (metric.name == name) return file.ReadSlot(metric.slot, metric.kind);
    }
    ADD_FAILURE() << "no metric " << name;
    return 0;
  }

  // Sorted by count.
  std::vector<CountedProcess> Processes() const {
    std::vector<CountedProcess> processes;
    for (const CounterFile& file : Files()) {
      const tare_counters_header header = file.Header();
      processes.push_back({header.process, header.parent_process, Value(file, "calls")});
    }
    std::ranges::sort(processes, {}, &CountedProcess::calls);
    return processes;
  }

  std::filesystem::path directory_;
};

}  // namespace tare::format
