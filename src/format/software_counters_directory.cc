// software_counters_directory.cc: finds the counter files of a run as they appear.
#include <dirent.h>
#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/descriptor.h"
#include "base/file.h"
#include "format/software_counters.h"

namespace tare::format {
namespace {

// Matches "PROCESS.NUMBER".
bool IsCounterName(std::string_view name) {
  constexpr std::string_view kDigits = "0123456789";
  const std::size_t dot = name.find('.');
  return dot != std::string_view::npos && dot > 0 && dot + 1 < name.size() &&
         name.find_first_not_of(kDigits) == dot &&
         name.find_first_not_of(kDigits, dot + 1) == std::string_view::npos;
}

// A file that was created but not initialized yet. Its process may have been killed there, so the
// file is checked less and less often.
struct Waiting {
  std::uint64_t tries = 0;
  std::uint64_t next = 0;  // number of the next Refresh that checks it
};

constexpr std::uint64_t kLongestPause = 1024;

enum class Begun { kYes, kNotYet, kGone };

Begun HasBegun(const std::filesystem::path& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file.IsOpen()) return errno == ENOENT ? Begun::kGone : Begun::kYes;
  std::uint64_t magic = 0;
  const ssize_t got = pread(file.Number(), &magic, sizeof magic, 0);
  return got == static_cast<ssize_t>(sizeof magic) && magic != 0 ? Begun::kYes : Begun::kNotYet;
}

}  // namespace

struct CounterDirectory::State {
  std::filesystem::path directory;
  std::vector<CounterFile> files;
  std::vector<Error> refused;
  std::set<std::string, std::less<>> known;
  std::map<std::string, Waiting> waiting;
  Descriptor watch;  // inotify; if closed, the directory is listed every time
  bool started = false;
  std::uint64_t refreshes = 0;

  void Note(std::string_view name) {
    if (!IsCounterName(name) || known.contains(name)) return;
    known.emplace(name);
    waiting[std::string(name)] = {0, refreshes};
  }
  Result<void> Start();
  Result<void> List();
  Result<void> TakeEvents();
  bool OpenWaiting();
};

// Adds the watch before listing, so that no file is missed in between.
Result<void> CounterDirectory::State::Start() {
  watch = Descriptor(inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  constexpr std::uint32_t kWhat = IN_CREATE | IN_MOVED_TO | IN_ONLYDIR;
  if (watch.IsOpen() && inotify_add_watch(watch.Number(), directory.c_str(), kWhat) < 0)
    watch.Close();
  TRY_VOID(List());
  started = true;
  return {};
}

Result<void> CounterDirectory::State::List() {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    Note(entry.path().filename().string());
  }
  if (error) return std::unexpected(SystemError("read", directory, error.value()));
  return {};
}

Result<void> CounterDirectory::State::TakeEvents() {
  if (!watch.IsOpen()) return List();
  alignas(inotify_event) std::array<char, 16384> buffer;
  for (;;) {
    const ssize_t got = read(watch.Number(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return {};
    for (std::size_t at = 0; at < static_cast<std::size_t>(got);) {
      inotify_event event;
      std::memcpy(&event, buffer.data() + at, sizeof event);
      const char* const name = buffer.data() + at + sizeof event;
      if ((event.mask & IN_Q_OVERFLOW) != 0) TRY_VOID(List());
      if (event.len > 0) Note({name, strnlen(name, event.len)});
      at += sizeof event + event.len;
    }
  }
}

bool CounterDirectory::State::OpenWaiting() {
  const std::size_t before = files.size();
  for (auto at = waiting.begin(); at != waiting.end();) {
    auto& [name, waits] = *at;
    if (waits.next > refreshes) {
      ++at;
      continue;
    }
    const std::filesystem::path path = directory / name;
    const Begun begun = HasBegun(path);
    if (begun == Begun::kNotYet) {
      ++waits.tries;
      waits.next = refreshes + std::min(waits.tries, kLongestPause);
      ++at;
      continue;
    }
    if (begun == Begun::kYes) {
      auto file = CounterFile::Open(path);
      if (file) {
        files.push_back(std::move(*file));
      } else {
        refused.push_back(std::move(file).error());
      }
    } else {
      known.erase(name);  // removed after a race to create it; may be reused
    }
    at = waiting.erase(at);
  }
  return files.size() > before;
}

CounterDirectory::CounterDirectory(std::filesystem::path directory)
    : state_(std::make_unique<State>()) {
  state_->directory = std::move(directory);
}
CounterDirectory::CounterDirectory(CounterDirectory&&) noexcept = default;
CounterDirectory& CounterDirectory::operator=(CounterDirectory&&) noexcept = default;
CounterDirectory::~CounterDirectory() = default;

Result<bool> CounterDirectory::Refresh() {
  ++state_->refreshes;
  if (!state_->started) {
    TRY_VOID(state_->Start());
  } else {
    TRY_VOID(state_->TakeEvents());
  }
  return state_->OpenWaiting();
}

std::span<CounterFile> CounterDirectory::Files() { return state_->files; }
std::span<const Error> CounterDirectory::Refused() const { return state_->refused; }

}  // namespace tare::format
