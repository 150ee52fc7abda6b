// run_layout.cc: draws layouts and turns them into settings.
#include "analysis/compare/run_layout.h"

#include <filesystem>

#include "stats/random.h"

namespace tare::compare {
namespace {

// Room for TARE_PAD.
constexpr std::size_t kPadBytes = 64;
// Loaders may align libraries to the largest page size.
constexpr std::uint64_t kMappingStep = 64 << 10;
// Room for the name of a temporary directory.
constexpr std::size_t kMinDirectoryBytes = 64;

}  // namespace

std::string_view FactorName(LayoutFactor factor) {
  switch (factor) {
    case LayoutFactor::kStack:
      return "the stack address";
    case LayoutFactor::kHeap:
      return "the heap address";
    case LayoutFactor::kMappings:
      return "the addresses of libraries and mappings";
    case LayoutFactor::kEnvironment:
      return "the size of environment and arguments";
    case LayoutFactor::kDirectory:
      return "the length of the working directory's path";
    case LayoutFactor::kCode:
      return "the addresses of functions";
  }
  return "";
}

RunLayout MakeLayout(std::size_t number, const Variation& variation, std::uint64_t seed) {
  RunLayout layout;
  layout.number = number;
  if (number == 0) return layout;
  layout.build = number % variation.builds;
  layout.padded = true;
  // All numbers are drawn, so that a layout depends on its number and the seed only.
  stats::Generator generator(seed * 0x9e3779b97f4a7c15u + number);
  const std::uint64_t stack = 16 * generator.Below(1024);
  const std::uint64_t heap = 16 * generator.Below(1 << 16);
  const std::uint64_t mappings = kMappingStep * generator.Below(512);
  layout.environment_bytes = 16 * generator.Below(256);
  const std::size_t directory = kMinDirectoryBytes + generator.Below(64);
  if (variation.memory) {
    layout.stack_bytes = stack;
    layout.heap_bytes = heap;
    layout.mapping_bytes = mappings;
  }
  if (variation.directory) layout.directory_bytes = directory;
  return layout;
}

RunLayout WithFactor(RunLayout layout, LayoutFactor factor, const RunLayout& other) {
  switch (factor) {
    case LayoutFactor::kStack:
      layout.stack_bytes = other.stack_bytes;
      break;
    case LayoutFactor::kHeap:
      layout.heap_bytes = other.heap_bytes;
      break;
    case LayoutFactor::kMappings:
      layout.mapping_bytes = other.mapping_bytes;
      break;
    case LayoutFactor::kEnvironment:
      layout.padded = other.padded;
      layout.environment_bytes = other.environment_bytes;
      break;
    case LayoutFactor::kDirectory:
      layout.directory_bytes = other.directory_bytes;
      break;
    case LayoutFactor::kCode:
      layout.build = other.build;
      break;
  }
  return layout;
}

bool DiffersIn(LayoutFactor factor, const RunLayout& a, const RunLayout& b) {
  switch (factor) {
    case LayoutFactor::kStack:
      return a.stack_bytes != b.stack_bytes;
    case LayoutFactor::kHeap:
      return a.heap_bytes != b.heap_bytes;
    case LayoutFactor::kMappings:
      return a.mapping_bytes != b.mapping_bytes;
    case LayoutFactor::kEnvironment:
      return a.padded != b.padded || a.environment_bytes != b.environment_bytes;
    case LayoutFactor::kDirectory:
      return a.directory_bytes != b.directory_bytes;
    case LayoutFactor::kCode:
      return a.build != b.build;
  }
  return false;
}

std::size_t ArgumentBytes(const run::ResolvedProgram& program) {
  // The kernel puts the path of the file above the strings (AT_EXECFN).
  std::size_t bytes = program.path.string().size() + 1;
  for (const std::string& argument : program.arguments) bytes += argument.size() + 1;
  return bytes;
}

Result<run::Setting> InLayout(const run::Setting& natural, const RunLayout& layout,
                              std::size_t argument_bytes, std::size_t max_argument_bytes) {
  run::Setting setting = natural;
  setting.layout.stack_bytes += layout.stack_bytes;
  setting.layout.heap_bytes += layout.heap_bytes;
  setting.layout.mapping_bytes += layout.mapping_bytes;
  if (layout.directory_bytes != 0 && !natural.cwd_length) {
    setting.cwd_length = layout.directory_bytes;
  }
  if (layout.padded && !natural.environment.bytes) {
    TRY(const auto entries,
        run::MakeEnvironment(natural.environment, run::InheritedEnvironment(), std::nullopt));
    const std::size_t room = kPadBytes + natural.cwd_length.value_or(256);
    const std::size_t common = (run::BlockBytes(entries) + room + 15) / 16 * 16;
    setting.environment.bytes =
        common + layout.environment_bytes + (max_argument_bytes - argument_bytes);
  }
  TRY_VOID(run::RequireSound(setting));
  return setting;
}

}  // namespace tare::compare
