// simgrid_engine.cc: loads the module with SimGrid in a child, which sends its result over a pipe.
#include "predict/replay/simgrid_engine.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <span>

#include "base/descriptor.h"
#include "base/printable.h"
#include "predict/replay/simgrid_module.h"

namespace tare::replay {
namespace {

// Results cross a pipe between two processes of the same program: plain bytes.
class ByteSink {
 public:
  template <typename T>
  void Add(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  template <typename T>
  void AddAll(std::span<const T> values) {
    Add(values.size());
    if (!values.empty())
      bytes.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  }
  std::string bytes;
};

class ByteSource {
 public:
  explicit ByteSource(std::string_view bytes) : bytes_(bytes) {}
  template <typename T>
  bool Take(T& value) {
    if (bytes_.size() < sizeof value) return false;
    std::memcpy(&value, bytes_.data(), sizeof value);
    bytes_.remove_prefix(sizeof value);
    return true;
  }
  template <typename T>
  bool TakeAll(std::vector<T>& values) {
    std::size_t count = 0;
    if (!Take(count) || count > bytes_.size() / sizeof(T)) return false;
    values.resize(count);
    if (count > 0) std::memcpy(values.data(), bytes_.data(), count * sizeof(T));
    bytes_.remove_prefix(count * sizeof(T));
    return true;
  }
  bool TakeText(std::string& text) {
    std::vector<char> characters;
    if (!TakeAll(characters)) return false;
    text.assign(characters.begin(), characters.end());
    return true;
  }

 private:
  std::string_view bytes_;
};

std::string Packed(const Result<ReplayResult>& result) {
  ByteSink sink;
  sink.Add(result.has_value());
  if (!result) {
    sink.Add(result.error().kind);
    sink.AddAll(std::span<const char>(result.error().message));
    return sink.bytes;
  }
  sink.Add(result->seconds);
  sink.AddAll(std::span<const RankTime>(result->ranks));
  const CriticalPath& path = result->path;
  for (const double value : {path.compute, path.overhead, path.latency, path.transmission,
                             path.queueing, path.messages, path.bytes}) {
    sink.Add(value);
  }
  sink.AddAll(std::span<const CriticalPath::Part>(path.parts));
  sink.Add(result->events);
  sink.Add(result->messages);
  sink.Add(result->unmatched);
  sink.AddAll(std::span<const char>(result->first_unmatched));
  return sink.bytes;
}

bool Unpack(std::string_view bytes, Result<ReplayResult>& result) {
  ByteSource source(bytes);
  bool good = false;
  if (!source.Take(good)) return false;
  if (!good) {
    Error error;
    if (!source.Take(error.kind) || !source.TakeText(error.message)) return false;
    result = std::unexpected(std::move(error));
    return true;
  }
  ReplayResult value;
  if (!source.Take(value.seconds) || !source.TakeAll(value.ranks)) return false;
  CriticalPath& path = value.path;
  for (double* part : {&path.compute, &path.overhead, &path.latency, &path.transmission,
                       &path.queueing, &path.messages, &path.bytes}) {
    if (!source.Take(*part)) return false;
  }
  if (!source.TakeAll(path.parts) || !source.Take(value.events) || !source.Take(value.messages) ||
      !source.Take(value.unmatched) || !source.TakeText(value.first_unmatched)) {
    return false;
  }
  result = std::move(value);
  return true;
}

void WriteAll(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) return;
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

Result<ReplayResult> InThisProcess(const MessageProgram& program, const Network& network,
                                   const ReplayOptions& options) {
  void* const module = dlopen(options.simgrid.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) {
    const char* const why = dlerror();
    return Fail(ErrorKind::kUnsupported,
                fmt::format("cannot load SimGrid: {}", Printable(why == nullptr ? "" : why)));
  }
  const auto* const sizes = static_cast<const std::size_t*>(dlsym(module, kSimGridSizes));
  void* const function = dlsym(module, kSimGridFunction);
  if (sizes == nullptr || *sizes != kSimGridSizesHere || function == nullptr) {
    return Fail(ErrorKind::kUnsupported, fmt::format("{} belongs to another build of tare",
                                                     Printable(options.simgrid.string())));
  }
  Result<ReplayResult> result = ReplayResult{};
  reinterpret_cast<decltype(&TareSimGridReplay)>(function)({&program, &network, &options, &result});
  return result;
}

}  // namespace

Result<ReplayResult> ReplayWithSimGrid(const MessageProgram& program, const Network& network,
                                       const ReplayOptions& options) {
  std::array<int, 2> ends = {};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    return Fail(ErrorKind::kIo, fmt::format("cannot create a pipe: {}", std::strerror(errno)));
  }
  const Descriptor output(ends[0]);
  Descriptor input(ends[1]);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) {
    return Fail(ErrorKind::kIo, fmt::format("cannot start a process: {}", std::strerror(errno)));
  }
  if (child == 0) {
    // A replay can take minutes.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0);
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0) {
      dup2(nowhere, STDOUT_FILENO);
      dup2(nowhere, STDERR_FILENO);
    }
    WriteAll(ends[1], Packed(InThisProcess(program, network, options)));
    _exit(0);
  }
  input = Descriptor();
  std::string bytes;
  std::array<char, 65536> buffer;
  bool stopped = false;
  while (true) {
    pollfd ready{output.Number(), POLLIN, 0};
    constexpr int kPollMilliseconds = 200;
    const int count = poll(&ready, 1, kPollMilliseconds);
    if (!stopped && options.stop && options.stop()) {
      stopped = true;
      kill(child, SIGKILL);
    }
    if (count <= 0) continue;
    const ssize_t length = read(output.Number(), buffer.data(), buffer.size());
    if (length < 0 && errno == EINTR) continue;
    if (length <= 0) break;
    bytes.append(buffer.data(), static_cast<std::size_t>(length));
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (stopped) return Stopped();
  Result<ReplayResult> result = ReplayResult{};
  if (!Unpack(bytes, result)) {
    return Fail(ErrorKind::kUnsupported,
                "SimGrid ended without a result; try --engine loggp, or another topology");
  }
  return result;
}

}  // namespace tare::replay
