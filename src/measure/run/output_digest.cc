// output_digest.cc: the reading thread, and its end although the pipe may stay open.
#include "measure/run/output_digest.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <future>
#include <utility>

#include "base/start_thread.h"

namespace tare::run {
namespace {

// FNV-1a, 64 bits.
constexpr std::uint64_t kFnvOffset = 0xcbf29ce484222325;
constexpr std::uint64_t kFnvPrime = 0x100000001b3;

bool WouldBlock(int descriptor) {
  pollfd reads{descriptor, POLLIN, 0};
  return ::poll(&reads, 1, 0) == 0;
}

}  // namespace

struct OutputDrain::State {
  Descriptor read;
  Descriptor ended{::eventfd(0, EFD_CLOEXEC)};  // readable after the program's end
  std::promise<OutputDigest> digest;

  // Waits for bytes or for the program's end. True: the program has ended and nothing is left.
  bool HasAll() const {
    while (true) {
      std::array<pollfd, 2> waits = {pollfd{read.Number(), POLLIN, 0},
                                     pollfd{ended.Number(), POLLIN, 0}};
      if (::poll(waits.data(), waits.size(), -1) < 0 && errno == EINTR) continue;
      return waits[0].revents == 0 && WouldBlock(read.Number());
    }
  }

  void Drain() {
    OutputDigest sum{0, kFnvOffset};
    std::array<char, 1 << 16> buffer;
    bool delivered = false;
    while (true) {
      if (!delivered && HasAll()) {
        digest.set_value(sum);
        delivered = true;
      }
      const ssize_t got = ::read(read.Number(), buffer.data(), buffer.size());
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) break;
      for (ssize_t i = 0; i < got && !delivered; ++i) {
        sum.hash = (sum.hash ^ static_cast<unsigned char>(buffer[static_cast<std::size_t>(i)])) *
                   kFnvPrime;
      }
      sum.bytes += static_cast<std::uint64_t>(got);
    }
    if (!delivered) digest.set_value(sum);
  }
};

Result<std::unique_ptr<OutputDrain>> OutputDrain::Start(Descriptor read) {
  std::unique_ptr<OutputDrain> drain(new OutputDrain);
  drain->state_ = std::make_shared<State>();
  drain->state_->read = std::move(read);
  TRY(drain->thread_, StartThreadWithoutSignals([state = drain->state_] { state->Drain(); }));
  return drain;
}

OutputDrain::~OutputDrain() {
  if (thread_.joinable()) Finish();
}

OutputDigest OutputDrain::Finish() {
  const std::uint64_t one = 1;
  // Without it the thread waits for ever, so a failure is not accepted at once.
  constexpr int kMaxTries = 1000;
  for (int i = 0; i < kMaxTries && ::write(state_->ended.Number(), &one, sizeof one) < 0; ++i) {
  }
  const OutputDigest digest = state_->digest.get_future().get();
  thread_.detach();
  return digest;
}

}  // namespace tare::run
