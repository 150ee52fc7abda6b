// descendants.cc: builds the process tree from the parent PIDs in /proc/PID/stat.
#include "measure/run/descendants.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <thread>

#include "base/file.h"

namespace tare::run {
namespace {

struct Process {
  pid_t parent = 0;
  bool zombie = false;
};

std::optional<pid_t> NumberIn(const std::string& text) {
  pid_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// "17 (a name (with) brackets) S 4 ...": state and parent PID follow the last ')'; see proc(5).
std::optional<Process> ReadProcess(pid_t number) {
  const auto text = ReadFile(fmt::format("/proc/{}/stat", number), 4096);
  if (!text) return std::nullopt;
  const auto bracket = text->rfind(')');
  if (bracket == std::string::npos) return std::nullopt;
  char state = 0;
  Process process;
  if (std::sscanf(text->c_str() + bracket + 1, " %c %d", &state, &process.parent) != 2) {
    return std::nullopt;
  }
  process.zombie = state == 'Z' || state == 'X';
  return process;
}

std::map<pid_t, Process> AllProcesses() {
  std::map<pid_t, Process> processes;
  std::error_code error;
  for (std::filesystem::directory_iterator entry("/proc", error), end; !error && entry != end;
       entry.increment(error)) {
    const auto number = NumberIn(entry->path().filename().string());
    if (!number) continue;
    if (const auto process = ReadProcess(*number)) processes[*number] = *process;
  }
  return processes;
}

std::vector<pid_t> Descendants(pid_t ancestor, std::span<const pid_t> spared) {
  const auto processes = AllProcesses();
  std::vector<pid_t> family = {ancestor};
  for (std::size_t i = 0; i < family.size(); ++i) {
    for (const auto& [number, process] : processes) {
      if (process.parent != family[i]) continue;
      if (std::ranges::find(spared, number) == spared.end()) family.push_back(number);
    }
  }
  family.erase(family.begin());
  std::erase_if(family, [&](pid_t number) { return processes.at(number).zombie; });
  return family;
}

}  // namespace

std::vector<pid_t> DescendantsOf(pid_t ancestor) { return Descendants(ancestor, {}); }

void EndDescendants(pid_t ancestor, std::span<const pid_t> spared) {
  // A process that forks during the scan is found in the next round, because its child is still a
  // descendant of the ancestor.
  constexpr int kMaxRounds = 400;
  for (int round = 0; round < kMaxRounds; ++round) {
    const auto family = Descendants(ancestor, spared);
    if (family.empty()) return;
    for (const pid_t process : family) ::kill(process, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

}  // namespace tare::run
