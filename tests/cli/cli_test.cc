// cli_test.cc: runs the case files of one command: cli_test DIRECTORY, with the program in $TARE.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "case_file.h"

namespace tare::cli_test {
namespace {

namespace fs = std::filesystem;

struct CommandRun {
  int exit_status;  // 128 + n for signal n
  std::string output;
  std::string errors;
};

// An empty directory that is removed when the case ends.
class Scratch {
 public:
  Scratch() : path_((fs::temp_directory_path() / "tare-case-XXXXXX").string()) {
    EXPECT_NE(::mkdtemp(path_.data()), nullptr);
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const std::string& Path() const { return path_; }

 private:
  std::string path_;
};

CommandRun RunShell(const std::string& command, const Scratch& scratch, const fs::path& streams) {
  const std::string output = (streams / "out").string();
  const std::string errors = (streams / "err").string();
  const std::string line = fmt::format("cd '{}' && {{ {}\n}} >'{}' 2>'{}' </dev/null",
                                       scratch.Path(), command, output, errors);
  const int status = std::system(line.c_str());
  CommandRun run{};
  run.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  run.output = ReadFile(output, 1 << 26).value_or("");
  run.errors = ReadFile(errors, 1 << 26).value_or("");
  return run;
}

class CliCase : public testing::Test {
 public:
  explicit CliCase(fs::path path) : path_(std::move(path)) {}

  void TestBody() override {
    const auto test = ReadCase(path_);
    ASSERT_TRUE(test) << test.error().message;
    const Scratch scratch;
    const Scratch streams;
    ::setenv("HOME", scratch.Path().c_str(), 1);
    for (const std::string& needed : test->needs) {
      const CommandRun run = RunShell(needed, scratch, streams.Path());
      if (run.exit_status != 0) GTEST_SKIP() << needed << " fails here\n" << run.errors;
    }
    CommandRun run{};
    for (const std::string& command : test->commands) {
      run = RunShell(command, scratch, streams.Path());
    }
    EXPECT_EQ(run.exit_status, test->exit_status) << run.errors;
    if (test->judges_output) {
      EXPECT_TRUE(Matches(test->output, run.output)) << "standard output was:\n" << run.output;
    }
    if (test->judges_errors) {
      EXPECT_TRUE(Matches(test->errors, run.errors)) << "standard error was:\n" << run.errors;
    }
    const auto output = ParseOutput(run.output);
    for (const JsonDemand& demand : test->json) EXPECT_EQ(Unmet(demand, output), "");
    if (const TablesShown shown = ShownTables(output); !shown.ids.empty()) {
      const auto list =
          RunShell(fmt::format("tare {} --list-tables", shown.command), scratch, streams.Path());
      EXPECT_EQ(list.exit_status, 0) << list.errors;
      EXPECT_EQ(fmt::format("{}", fmt::join(Unlisted(shown, list.output), ", ")), "")
          << "tables that tare " << shown.command << " --list-tables does not have";
    }
  }

 private:
  fs::path path_;
};

}  // namespace
}  // namespace tare::cli_test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc != 2) {
    fmt::print(stderr, "usage: cli_test DIRECTORY\n");
    return 2;
  }
  ::setenv("COLUMNS", "100", 1);
  ::setenv("LC_ALL", "C.UTF-8", 1);
  ::unsetenv("XDG_STATE_HOME");
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) {
    if (entry.path().extension() == ".case") paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  const std::string suite = std::filesystem::path(argv[1]).filename();
  for (const auto& path : paths) {
    testing::RegisterTest(suite.c_str(), path.stem().c_str(), nullptr, nullptr, path.c_str(), 1,
                          [path]() -> testing::Test* { return new tare::cli_test::CliCase(path); });
  }
  return RUN_ALL_TESTS();
}
