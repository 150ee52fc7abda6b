// test_programs.h: the programs of tests/programs, their native results, and temporary directories.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "measure/run/process.h"

namespace tare::run {

inline std::string ProgramPath(const std::string& name) {
  return std::string(TARE_TEST_PROGRAMS) + "/" + name;
}

// Splits "endings exit 3" at blanks.
inline std::vector<std::string> Words(std::string_view line) {
  std::vector<std::string> words;
  while (!line.empty()) {
    const auto blank = line.find(' ');
    words.emplace_back(line.substr(0, blank));
    line.remove_prefix(blank == std::string_view::npos ? line.size() : blank + 1);
  }
  return words;
}

inline ResolvedProgram TestProgram(std::string_view line) {
  auto words = Words(line);
  words.front() = ProgramPath(words.front());
  auto resolved = Resolve({words});
  EXPECT_TRUE(resolved) << line;
  return resolved ? *resolved : ResolvedProgram{};
}

// No input, both outputs captured.
inline Setting Captured() {
  Setting setting;
  setting.input.from = Input::From::kNothing;
  setting.output = Output::kCaptured;
  setting.errors = Output::kCaptured;
  return setting;
}

inline Finished RunIt(std::string_view line, const Setting& setting = Captured(),
                      const Hooks& hooks = {}) {
  auto finished = RunProgram(TestProgram(line), setting, hooks);
  EXPECT_TRUE(finished) << line << ": " << (finished ? "" : finished.error().message);
  return finished ? *finished : Finished{};
}

// Returns all values of the lines "name: value".
inline std::vector<std::string> Values(std::string_view text, std::string_view name) {
  std::vector<std::string> values;
  const std::string start = std::string(name) + ": ";
  while (!text.empty()) {
    const auto end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (line.starts_with(start)) values.emplace_back(line.substr(start.size()));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return values;
}

inline std::string Value(std::string_view text, std::string_view name) {
  const auto values = Values(text, name);
  return values.size() == 1 ? values.front() : "";
}

// The result of plain fork, execv and waitpid.
struct PlainEnd {
  int status = -1;
  std::string output;
};
inline PlainEnd RunPlainly(std::string_view line) {
  auto words = Words(line);
  words.front() = ProgramPath(words.front());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  PlainEnd end;
  const int file = ::memfd_create("plain", MFD_CLOEXEC);
  const pid_t child = ::fork();
  if (child == 0) {
    ::setpgid(0, 0);
    ::dup2(file, STDOUT_FILENO);
    ::execv(arguments.front(), arguments.data());
    ::_exit(127);
  }
  ::waitpid(child, &end.status, 0);
  char buffer[65536];
  ssize_t got = 0;
  while ((got = ::pread(file, buffer, sizeof buffer, static_cast<off_t>(end.output.size()))) > 0) {
    end.output.append(buffer, static_cast<std::size_t>(got));
  }
  ::close(file);
  return end;
}

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "run-test-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  std::string Path(std::string_view name = "") const {
    return name.empty() ? path_ : path_ + "/" + std::string(name);
  }
  std::string Write(std::string_view name, std::string_view text, mode_t mode = 0644) const {
    std::ofstream(Path(name), std::ios::binary) << text;
    ::chmod(Path(name).c_str(), mode);
    return Path(name);
  }
  std::string Read(std::string_view name) const {
    std::ifstream file(Path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  bool IsEmpty() const { return std::filesystem::is_empty(path_); }

 private:
  std::string path_;
};

// Whether the process is gone, or a zombie that its new parent has not reaped, within ten seconds.
inline bool EndsSoon(pid_t process) {
  for (int tries = 0; tries < 1000; ++tries) {
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    // getline does not throw when the process exits between opening and reading.
    std::string stat;
    std::getline(file, stat);
    if (stat.empty() || stat.find(") Z ") != std::string::npos) return true;
    ::usleep(10000);
  }
  return false;
}

// What must be the same before and after a run.
struct Leftovers {
  std::size_t descriptors = 0;
  bool has_children = false;

  static Leftovers Now() {
    Leftovers now;
    for (int number = 0; number < 4096; ++number) {
      if (::fcntl(number, F_GETFD) >= 0) ++now.descriptors;
    }
    now.has_children = ::waitpid(-1, nullptr, WNOHANG | __WALL) >= 0;
    return now;
  }
  bool operator==(const Leftovers&) const = default;
};

// Returns the status as wait(2) encodes it.
inline int WaitStatus(const Ended& ended) {
  if (ended.how == Ended::How::kSignalled) return ended.signal | (ended.core_dumped ? 0x80 : 0);
  return ended.exit_status << 8;
}

inline void ExpectAsWithoutUs(std::string_view line, const Setting& setting) {
  const auto before = Leftovers::Now();
  const PlainEnd plain = RunPlainly(line);
  const auto finished = RunIt(line, setting);
  EXPECT_EQ(WaitStatus(finished.ended), plain.status);
  EXPECT_EQ(finished.output, plain.output);
  EXPECT_EQ(finished.caveats.size(), 0U);
  EXPECT_EQ(Leftovers::Now(), before);
}

// Kills this process while the program runs; the program must not be affected.
inline void ExpectToOutliveUs(const Setting& setting) {
  const TemporaryDirectory directory;
  const std::string lines =
      "echo started > " + directory.Path("a") + "; sleep 0.2; echo done > " + directory.Path("b");
  const auto shell = Resolve({{"/bin/sh", "-c", lines}});
  ASSERT_TRUE(shell);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto finished = RunProgram(*shell, setting);
    ::_exit(finished ? 0 : 1);
  }
  for (int tries = 0; tries < 1000 && directory.Read("a").empty(); ++tries) ::usleep(10000);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  for (int tries = 0; tries < 1000 && directory.Read("b").empty(); ++tries) ::usleep(10000);
  EXPECT_EQ(directory.Read("b"), "done\n");
}

}  // namespace tare::run
