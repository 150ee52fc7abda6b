// varied_layouts.cc: sizes and offsets that give every run other addresses.
#include "measure/run/varied_layouts.h"

#include <unistd.h>

#include "base/check.h"

namespace tare::run {
namespace {

// Loaders may align libraries to the largest page size.
constexpr std::uint64_t kMappingStep = 64 << 10;
// Room for TARE_PAD.
constexpr std::size_t kPadRoom = 64;

// Steps without a common factor, so that offsets within lines, sets and pages differ.
std::uint64_t StackOffset(std::size_t layout) { return 16 * (layout * 37 % 1021); }
std::uint64_t HeapOffset(std::size_t layout) {
  return static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) * (layout * 7 % 61);
}
std::uint64_t MappingOffset(std::size_t layout) { return kMappingStep * (layout * 37 % 509); }
std::size_t MoreEnvironment(std::size_t layout) { return 16 * (layout * 23 % 251); }

Result<std::size_t> NaturalEnvironment(const Setting& setting) {
  run::Environment natural = setting.environment;
  natural.bytes.reset();
  TRY(const auto entries, run::MakeEnvironment(natural, run::InheritedEnvironment(), std::nullopt));
  const std::size_t room = kPadRoom + setting.cwd_length.value_or(0);
  return (run::BlockBytes(entries) + room + 15) / 16 * 16;
}

}  // namespace

Result<std::vector<Setting>> VaryEnvironment(const Setting& given, std::size_t count) {
  CHECK(count <= kMaxLayouts);
  TRY(const std::size_t natural, NaturalEnvironment(given));
  std::vector<Setting> settings(count, given);
  for (std::size_t i = 0; i < count; ++i) {
    if (!given.environment.bytes) settings[i].environment.bytes = natural + MoreEnvironment(i);
  }
  return settings;
}

Result<std::vector<Setting>> VaryLayout(const Setting& given, std::size_t count) {
  TRY(auto settings, VaryEnvironment(given, count));
  for (std::size_t i = 1; i < count; ++i) {
    run::Layout& layout = settings[i].layout;
    layout.stack_bytes += StackOffset(i);
    layout.heap_bytes += HeapOffset(i);
    layout.mapping_bytes += MappingOffset(i);
    TRY_VOID(run::RequireSound(settings[i]));
  }
  return settings;
}

}  // namespace tare::run
