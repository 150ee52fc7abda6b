// kernel_rates.cc: prints the rates of tare's own microbenchmarks at one size, to compare with
// peers.
//     kernel_rates load|store|copy BYTES SECONDS    one line per microbenchmark: bytes per second,
//   name
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "machine/microbenchmark/buffer.h"
#include "machine/microbenchmark/memory_loop.h"
#include "machine/microbenchmark/streams.h"
#include "machine/survey/stream_arrays.h"
#include "machine/survey/timing.h"

namespace {

using namespace tare;

struct Candidate {
  std::string name;
  survey::Loop loop;
};

std::vector<Candidate> Candidates(std::string_view kind, std::span<std::byte> memory) {
  std::vector<Candidate> found;
  const unsigned element = microbenchmark::WidestVector();
  if (kind == "load" || kind == "store") {
    const auto access =
        kind == "load" ? machine_profile::Access::kLoad : machine_profile::Access::kStore;
    auto loop = microbenchmark::MemoryLoop::Over(
        {access, machine_profile::Pattern::kStrided, 1, element}, memory, 64);
    if (loop) {
      found.push_back({std::string(kind), [loop = *loop, element](std::uint64_t bytes) mutable {
                         return loop.Run(bytes / element + 1) * element;
                       }});
    }
  }
  // A stream has three arrays; stores use one of them, copies two.
  const std::size_t parts = kind == "copy" ? 2 : 1;
  const std::size_t length = memory.size() / parts / 1024 * 1024;
  for (const microbenchmark::Stream& stream : microbenchmark::Streams()) {
    if (!stream.name.starts_with(kind) || length == 0) continue;
    const microbenchmark::Arrays arrays{
        memory.first(length), memory.subspan((parts - 1) * length, length), memory.first(length)};
    found.push_back({std::string(stream.name), [stream, arrays](std::uint64_t bytes) {
                       return survey::StreamLoop(stream, arrays)(bytes);
                     }});
  }
  return found;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::uint64_t bytes = std::strtoull(argv[2], nullptr, 10) / 4096 * 4096;
  const double seconds = std::strtod(argv[3], nullptr);
  auto buffer = tare::microbenchmark::Buffer::Make(bytes, tare::microbenchmark::Pages::kSystem);
  if (!buffer) {
    fmt::print(stderr, "{}\n", buffer.error().message);
    return 1;
  }
  auto candidates = Candidates(argv[1], buffer->bytes());
  for (Candidate& candidate : candidates) {
    candidate.loop(bytes);
    double best = 0;
    const double end = tare::survey::Now() + seconds;
    while (tare::survey::Now() < end) {
      best = std::max(best, tare::survey::SampleRate(candidate.loop, {2e-3, 3}, 0));
    }
    fmt::print("{:.6g} {}\n", best, candidate.name);
  }
  return candidates.empty() ? 1 : 0;
}
