// under_flow.h: runs programs under this build's Valgrind tool, counted or as a flow that is read
// to its end.
#pragma once

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.h"
#include "base/private_directory.h"
#include "format/flow_reader.h"
#include "format/recording.h"
#include "machine/host/engine_files.h"
#include "tests/unit/model/vpmu/plain_filter.h"

namespace tare::count {

// The files of this build's tool; WhyNoTool() is empty when it can be run.
inline const host::EngineFiles& ToolFiles() {
  static const host::EngineFiles files =
      host::FindEngineFiles(std::filesystem::path(TARE_BINARY_DIR) / "tare", host::EngineSearch{});
  return files;
}
inline std::string WhyNoTool() {
  if (!ToolFiles().valgrind_tool) return "tare was built without its Valgrind tool";
  return ToolFiles().valgrind_launcher ? "" : "valgrind is not installed";
}

// A program that was started under the tool, in its own process group.
class StartedTool {
 public:
  // The first word is a program of tests/programs, or a path.
  StartedTool(const std::filesystem::path& directory, std::vector<std::string> command,
              const std::vector<std::string>& options)
      : output_(memfd_create("output", MFD_CLOEXEC)) {
    if (command.front().front() != '/') {
      command.front() = std::string(TARE_TEST_PROGRAMS) + "/" + command.front();
    }
    std::vector<std::string> line = {ToolFiles().valgrind_tool->string(),
                                     "--tool=tare",
                                     "-q",
                                     "--vgdb=no",
                                     "--trace-children=yes",
                                     "--pin=yes",
                                     "--directory=" + directory.string(),
                                     "--log-file=" + (directory / "messages").string()};
#if defined(__aarch64__)
    line.insert(line.end(), {"--hwcap=0x1fb", "--sim-hints=fallback-llsc"});
#endif
    line.insert(line.end(), options.begin(), options.end());
    line.insert(line.end(), command.begin(), command.end());
    std::vector<char*> arguments;
    for (std::string& word : line) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    process_ = fork();
    if (process_ != 0) return;
    setpgid(0, 0);
    dup2(output_.Number(), STDOUT_FILENO);
    dup2(open("/dev/null", O_RDWR), STDERR_FILENO);
    setenv("VALGRIND_LIB", ToolFiles().valgrind_directory->c_str(), 1);
    setenv("VALGRIND_LAUNCHER", ToolFiles().valgrind_launcher->c_str(), 1);
    setenv("LD_BIND_NOW", "1", 1);
    alarm(120);
    execv(arguments.front(), arguments.data());
    _exit(127);
  }
  ~StartedTool() {
    if (!over_) kill(process_, SIGKILL);
    Wait();
  }
  StartedTool(const StartedTool&) = delete;
  StartedTool& operator=(const StartedTool&) = delete;

  pid_t process() const { return process_; }
  bool IsOver() {
    if (!over_) over_ = waitpid(process_, &status_, WNOHANG) == process_;
    return over_;
  }
  // Returns the status as waitpid(2) does.
  int Wait() {
    if (!over_) waitpid(process_, &status_, 0);
    over_ = true;
    return status_;
  }
  std::string Output() const {
    std::string text(1 << 16, '\0');
    const ssize_t got = pread(output_.Number(), text.data(), text.size(), 0);
    text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
    return text;
  }

 private:
  Descriptor output_;
  pid_t process_ = 0;
  bool over_ = false;
  int status_ = 0;
};

struct Touched {
  format::FlowAccess access;
  std::uint64_t address = 0;
};

// The complete flow of one process.
struct TakenFlow {
  std::vector<tare_wire_counters> counts;
  std::uint64_t words_hash = 0;
  std::uint64_t records = 0;
  std::uint64_t inside = 0;
  std::uint64_t dropped = 0;           // records without their accesses
  std::uint64_t dropped_in_burst = 0;  // of these, those inside bursts
  std::uint64_t bursts = 0;
  std::uint64_t lines = 0;  // of a sparse flow
  std::vector<std::uint64_t> threads;
  std::vector<std::uint64_t> interrupted;
  std::vector<std::uint64_t> samples;
  bool cut_short = false;
};

// Reads a flow record by record, as a model would.
class FlowTaking {
 public:
  using OnTouch = std::function<void(const Touched&)>;

  // With a filter, the words are hashed as they would be if an engine had applied it.
  explicit FlowTaking(format::FlowReader reader, OnTouch on_touch = {},
                      std::optional<vpmu::PlainFilter> filter = {})
      : reader_(std::move(reader)), on_touch_(std::move(on_touch)), filter_(std::move(filter)) {}

  // Reads the available records; returns false if there were none.
  bool Take() {
    bool any = false;
    for (auto words = reader_.Next(); !words.empty(); words = reader_.Next()) {
      any = true;
      while (!words.empty()) words = words.subspan(TakeRecord(words));
      reader_.ReleaseChunk();
    }
    return any;
  }

  format::FlowReader& reader() { return reader_; }
  TakenFlow& taken() { return taken_; }

 private:
  void Hash(std::uint64_t word) {
    taken_.words_hash = (taken_.words_hash ^ word) * 0x9e3779b97f4a7c15u;
    taken_.words_hash ^= taken_.words_hash >> 29;
  }

  std::size_t TakeRecord(std::span<const std::uint64_t> words) {
    if ((words[0] & TARE_FLOW_MARK) != 0) return TakeMark(words);
    if ((words[0] & TARE_FLOW_LINES) != 0) return TakeLines(words);
    const std::uint64_t number = words[0] & TARE_FLOW_NUMBER;
    if (number > reader_.Blocks().size()) {
      EXPECT_TRUE(reader_.Refresh());
    }
    if (number == 0 || number > reader_.Blocks().size()) {
      ADD_FAILURE() << "no description " << number;
      return words.size();
    }
    const format::FlowBlock& block = reader_.Blocks()[number - 1];
    const bool dropped = (words[0] & TARE_FLOW_UNCHANGED) != 0;
    const std::size_t size = dropped ? 1 : block.words;
    if (size > words.size()) {
      ADD_FAILURE() << "a record in two chunks";
      return words.size();
    }
    words = words.first(size);
    if (filter_ && !dropped) {
      for (const std::uint64_t word : filter_->Filter(block, words)) Hash(word);
    } else {
      for (const std::uint64_t word : words) Hash(word);
    }
    Count(block, number);
    ++taken_.records;
    if ((words[0] & TARE_FLOW_INSIDE) != 0) ++taken_.inside;
    if (dropped) ++(bursting_ ? taken_.dropped_in_burst : taken_.dropped);
    if (on_touch_ && !dropped) Touch(block, words);
    return size;
  }

  std::size_t TakeLines(std::span<const std::uint64_t> words) {
    const std::size_t size = 1 + (words[0] >> TARE_FLOW_LINES_SHIFT);
    if (size == 1 || size > words.size()) {
      ADD_FAILURE() << "lines in two chunks";
      return words.size();
    }
    for (const std::uint64_t word : words.first(size)) Hash(word);
    taken_.lines += size - 1;
    return size;
  }

  std::size_t TakeMark(std::span<const std::uint64_t> words) {
    if (words.size() < 2) {
      ADD_FAILURE() << "a mark in two chunks";
      return words.size();
    }
    const std::uint64_t kind = words[0] & TARE_FLOW_NUMBER;
    if (kind == TARE_FLOW_THREAD) {
      taken_.threads.push_back(words[1]);
      thread_ = words[1];
    } else if (kind == TARE_FLOW_SIGNAL) {
      taken_.interrupted.push_back(words[1]);
      GoOn(words[1], false);
      last_[thread_] = 0;
    } else if (kind == TARE_FLOW_SAMPLE) {
      taken_.samples.push_back(words[1]);
    } else if (kind == TARE_FLOW_BURST) {
      EXPECT_NE(words[1], bursting_ ? 1u : 0u);
      bursting_ = words[1] == 1;
      taken_.bursts += words[1];
    } else {
      ADD_FAILURE() << "unknown mark " << kind;
    }
    return 2;
  }

  // The thread's last block is followed by `address`.
  void GoOn(std::uint64_t address, bool repeated) {
    const std::uint64_t last = last_[thread_];
    if (last == 0) return;
    const format::FlowBlock& before = reader_.Blocks()[last - 1];
    if ((before.flags & TARE_WIRE_CONDITIONAL) != 0 &&
        before.address + before.code_bytes == address) {
      ++taken_.counts[before.block].second;
    }
    // As in the engine, each copy of a repeated instruction subtracts its jumps back.
    if (repeated && before.operation && before.address == address) {
      --taken_.counts[before.block].executions;
    }
  }

  void Count(const format::FlowBlock& block, std::uint64_t number) {
    if (taken_.counts.size() <= block.block) taken_.counts.resize(block.block + 1);
    GoOn(block.address, (block.flags & TARE_WIRE_REPEATED) != 0);
    tare_wire_counters& counters = taken_.counts[block.block];
    ++(block.operation ? counters.second : counters.executions);
    last_[thread_] = number;
  }

  void Touch(const format::FlowBlock& block, std::span<const std::uint64_t> words) {
    for (const format::FlowAccess& access : block.accesses) {
      const std::uint64_t word = access.word == 0 ? 0 : words[access.word];
      const bool guarded =
          access.kind == TARE_FLOW_GUARDED_LOAD || access.kind == TARE_FLOW_GUARDED_STORE;
      if (!guarded || word != 0) on_touch_({access, word + access.offset});
    }
  }

  format::FlowReader reader_;
  OnTouch on_touch_;
  std::optional<vpmu::PlainFilter> filter_;
  bool bursting_ = false;
  TakenFlow taken_;
  std::uint64_t thread_ = 0;
  std::map<std::uint64_t, std::uint64_t> last_;  // number of the last record, by thread
};

// Reads all flows of a directory until the program has exited and nothing is left.
class FlowDirectory {
 public:
  FlowDirectory(std::filesystem::path directory, FlowTaking::OnTouch on_touch,
                std::optional<vpmu::PlainFilter> filter)
      : directory_(std::move(directory)),
        on_touch_(std::move(on_touch)),
        filter_(std::move(filter)) {}

  std::map<std::string, TakenFlow> TakeAll(StartedTool& tool) {
    for (;;) {
      const bool over = tool.IsOver();
      const bool any = TakeOnce();
      if (over && !any) break;
      if (!any) usleep(200);
    }
    std::map<std::string, TakenFlow> flows;
    for (auto& [name, taking] : taking_) {
      taking.taken().cut_short = taking.reader().CutShort();
      if (!taking.reader().HasEngineCounts()) {
        EXPECT_TRUE(taking.reader().WriteCounts(taking.taken().counts));
      }
      flows[name] = std::move(taking.taken());
    }
    return flows;
  }

 private:
  bool TakeOnce() {
    bool any = false;
    const std::string start = TARE_FLOW_FILE ".";
    for (const auto& entry : std::filesystem::directory_iterator(directory_)) {
      std::string name = entry.path().filename().string();
      if (!name.starts_with(start)) continue;
      name.erase(0, start.size());
      if (taking_.contains(name)) continue;
      if (auto reader = format::FlowReader::Open(directory_, name)) {
        taking_.emplace(name, FlowTaking(std::move(*reader), on_touch_, filter_));
        any = true;
      }
    }
    for (auto& [name, taking] : taking_) any = taking.Take() || any;
    return any;
  }

  std::filesystem::path directory_;
  FlowTaking::OnTouch on_touch_;
  std::optional<vpmu::PlainFilter> filter_;
  std::map<std::string, FlowTaking> taking_;
};

struct ToolRun {
  int status = -1;
  std::string output;
  std::map<std::string, TakenFlow> flows;  // by recording name
  std::vector<format::Recording> recordings;
};

struct ToolWanted {
  bool flow = true;
  std::vector<std::string> options = {};
  FlowTaking::OnTouch on_touch = {};
  std::optional<vpmu::PlainFilter> filter = {};  // as in FlowTaking
};

inline ToolRun RunTool(const std::vector<std::string>& command, const ToolWanted& wanted = {}) {
  ToolRun run;
  const auto directory = PrivateDirectory::Make();
  if (!directory) return run;
  std::vector<std::string> options = wanted.options;
  if (wanted.flow) options.push_back("--flow=yes");
  StartedTool tool(directory->path(), command, options);
  if (wanted.flow) {
    run.flows = FlowDirectory(directory->path(), wanted.on_touch, wanted.filter).TakeAll(tool);
  }
  run.status = tool.Wait();
  run.output = tool.Output();
  auto recordings = format::ReadRecordings(directory->path());
  EXPECT_TRUE(recordings) << (recordings ? "" : recordings.error().message);
  if (recordings) run.recordings = std::move(*recordings);
  return run;
}

}  // namespace tare::count
