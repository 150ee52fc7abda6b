// processor_file_catalogue.cc: finds descriptions by name, and derives them from machine profiles.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/named_files.h"
#include "base/near_match.h"
#include "base/printable.h"
#include "machine/profile/profile_catalogue.h"
#include "model/core/processor_file.h"

namespace tare::model {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".toml";
constexpr unsigned kUsualLine = 64;
constexpr unsigned kUsualWays = 8;

// The nearest number with few leading bits, because a measured size is seldom a size that exists.
std::uint64_t Rounded(std::uint64_t number, std::uint64_t min_step) {
  const std::uint64_t step = std::max(std::bit_floor(number) / 8, min_step);
  return std::max<std::uint64_t>((number + step / 2) / step, 1) * step;
}

// The number of ways, at most `most` if possible, for which the number of sets is a power of two.
unsigned FittingWays(std::uint64_t entries, unsigned most) {
  auto ways = static_cast<unsigned>(entries >> std::countr_zero(entries));
  while (ways * 2 <= most && entries % (std::uint64_t{ways} * 2) == 0) ways *= 2;
  return ways;
}

CacheLevel FromLevel(const machine_profile::Level& level, std::vector<std::string>& assumed) {
  CacheLevel cache;
  cache.line_bytes = level.line_bytes;
  if (level.line_bytes == 0) {
    cache.line_bytes = kUsualLine;
    assumed.push_back(fmt::format("{} has lines of {} bytes", level.name, kUsualLine));
  }
  cache.bytes = level.bytes;
  cache.ways = level.ways;
  if (level.ways != 0) return cache;
  cache.bytes = Rounded(level.bytes, std::uint64_t{cache.line_bytes} * kUsualWays);
  cache.ways = FittingWays(cache.bytes / cache.line_bytes, kUsualWays);
  assumed.push_back(cache.bytes == level.bytes
                        ? fmt::format("{} has {} ways", level.name, cache.ways)
                        : fmt::format("{} has {} ways and {} KiB (the profile has {} bytes)",
                                      level.name, cache.ways, cache.bytes / 1024, level.bytes));
  return cache;
}

// Profiles contain the TLBs for data; the first-level TLB for code is assumed to be equal.
void AddTlbs(const machine_profile::Profile& profile, std::uint64_t page_bytes,
             std::string_view pages, TlbSet& to, std::vector<std::string>& assumed) {
  std::vector<unsigned> entries;
  for (const machine_profile::Tlb& tlb : profile.tlbs) {
    if (tlb.page_bytes != page_bytes || tlb.entries == 0) continue;
    const std::uint64_t most = std::min<std::uint64_t>(tlb.entries, 1 << 15);
    entries.push_back(static_cast<unsigned>(most > 64 ? Rounded(most, 1) : most));
  }
  if (entries.empty()) return;
  to.data = TlbLevel{.entries = entries[0],
                     .ways = entries[0] <= 128 ? entries[0] : FittingWays(entries[0], kUsualWays)};
  to.instruction = to.data;
  assumed.push_back(
      fmt::format("the data TLB for {} pages has {} ways, and the instruction TLB is equal", pages,
                  to.data->ways));
  if (entries.size() < 2) return;
  const unsigned ways = FittingWays(entries[1], kUsualWays);
  to.second = TlbLevel{.entries = entries[1], .ways = ways};
  assumed.push_back(fmt::format(
      "the second-level TLB for {} pages has {} ways and is shared by code and data", pages, ways));
}

std::unexpected<Error> Unknown(std::string_view word,
                               std::span<const fs::path> processor_directories,
                               std::span<const fs::path> profile_directories) {
  std::vector<std::string> names;
  for (const auto& named : ListProcessors(processor_directories)) names.push_back(named.name);
  for (const auto& named : machine_profile::List(profile_directories)) names.push_back(named.name);
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::string nearest = DidYouMean(word, views);
  if (!nearest.empty()) {
    return Fail(ErrorKind::kUsage,
                fmt::format("no such processor: '{}'{}", Printable(word), Printable(nearest)));
  }
  if (names.empty()) {
    std::string searched;
    for (const fs::path& directory : processor_directories) {
      searched += (searched.empty() ? "" : " or ") + Printable(directory.string());
    }
    return Fail(ErrorKind::kUnsupported,
                fmt::format("there are no descriptions of processors in {}; install tare's "
                            "directories processors and machines with the program",
                            searched));
  }
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  return Fail(ErrorKind::kUsage, fmt::format("no such processor: '{}'; known: {}", Printable(word),
                                             Printable(fmt::format("{}", fmt::join(names, ", ")))));
}

}  // namespace

std::vector<NamedProcessor> ListProcessors(std::span<const fs::path> directories) {
  std::vector<NamedProcessor> processors;
  for (fs::path& path : NamedFiles(directories, kEnding)) {
    std::string name = path.stem().string();
    processors.push_back({std::move(name), std::move(path)});
  }
  return processors;
}

Result<Processor> FromProfile(const machine_profile::Profile& profile) {
  Processor processor;
  processor.name = profile.name;
  processor.about = profile.model;
  processor.source = fmt::format("the machine profile {}", profile.name);
  std::vector<CacheLevel> caches;
  for (const machine_profile::Level& level : profile.levels) {
    if (level.name != "memory" && level.bytes != 0 && caches.size() < 3) {
      caches.push_back(FromLevel(level, processor.assumed));
    }
  }
  if (caches.empty()) {
    return Fail(
        ErrorKind::kUsage,
        fmt::format("machine profile {} has no caches; describe the processor in a TOML file",
                    Printable(profile.name)));
  }
  processor.l1d = caches[0];
  processor.l1i = caches[0];
  if (caches.size() > 1) processor.l2 = caches[1];
  if (caches.size() > 2) processor.l3 = caches[2];
  processor.assumed.insert(
      processor.assumed.begin(),
      {"the L1 instruction cache equals the L1 data cache",
       "all caches are LRU, write-back and neither inclusive nor exclusive (NINE)",
       "there is no prefetching",
       "branches are predicted by gshare with 4096 counters, 512 targets and 16 returns"});
  AddTlbs(profile, kSmallPage, "4 KiB", processor.small_pages, processor.assumed);
  AddTlbs(profile, kLargePage, "2 MiB", processor.large_pages, processor.assumed);
  processor.branching = {.direction = Direction::kGshare,
                         .entries = 4096,
                         .history_bits = 12,
                         .tables = 0,
                         .target_entries = 512,
                         .target_ways = 4,
                         .return_entries = 16};
  TRY_VOID(Validate(processor));
  return processor;
}

Result<Processor> FindProcessor(std::string_view word,
                                std::span<const fs::path> processor_directories,
                                std::span<const fs::path> profile_directories) {
  const bool profile_file = word.ends_with(".json");
  if (!profile_file && (word.find('/') != std::string_view::npos || word.ends_with(kEnding))) {
    return ReadProcessor(fs::path(word));
  }
  if (!profile_file) {
    for (const auto& named : ListProcessors(processor_directories)) {
      if (named.name == word) return ReadProcessor(named.path);
    }
  }
  auto found = machine_profile::Find(word, profile_directories);
  if (!found && !profile_file && found.error().kind == ErrorKind::kUsage) {
    return Unknown(word, processor_directories, profile_directories);
  }
  if (!found) return std::unexpected(std::move(found).error());
  if (!found->profile) return Fail(ErrorKind::kFormat, found->reason);
  return FromProfile(*found->profile);
}

}  // namespace tare::model
