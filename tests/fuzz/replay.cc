// replay.cc: runs a fuzz target over the files of a directory, for builds without libFuzzer:
// fuzz_replay TARGET DIRECTORY
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string_view>

#include "base/file.h"

// CMakeLists.txt writes fuzz_targets.inc: TARE_FUZZ_TARGET(subject) for each subject_fuzz.cc.
#define TARE_FUZZ_TARGET(subject) \
  extern "C" int Fuzz_##subject(const std::uint8_t* data, std::size_t size);
#include "fuzz_targets.inc"
#undef TARE_FUZZ_TARGET

namespace {

struct Target {
  std::string_view name;
  int (*run)(const std::uint8_t*, std::size_t);
};

constexpr Target kTargets[] = {
#define TARE_FUZZ_TARGET(subject) {#subject, Fuzz_##subject},
#include "fuzz_targets.inc"
#undef TARE_FUZZ_TARGET
};

int Replay(const Target& target, const char* directory) {
  int replayed = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    if (!entry.is_regular_file()) continue;
    const auto bytes = tare::ReadFile(entry.path(), 1 << 26);
    if (!bytes) return 1;
    target.run(reinterpret_cast<const std::uint8_t*>(bytes->data()), bytes->size());
    ++replayed;
  }
  std::printf("%d inputs replayed\n", replayed);
  return replayed > 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  for (const auto& target : kTargets)
    if (target.name == argv[1]) return Replay(target, argv[2]);
  std::fprintf(stderr, "fuzz_replay: no such target: %s\n", argv[1]);
  return 2;
}
