// processor_file.cc: reads the keys of a processor description.
#include "model/core/processor_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/file.h"
#include "base/near_match.h"
#include "base/printable.h"
#include "base/toml_table.h"
#include "base/units.h"

namespace tare::model {
namespace {

constexpr std::uint64_t kMaxFileBytes = 1 << 20;

constexpr std::array<std::string_view, 15> kTopKeys = {
    "version", "name", "about", "source", "split",    "page",   "seed",  "l1i",
    "l1d",     "l2",   "l3",    "tlb",    "prefetch", "branch", "cycles"};
constexpr std::array<std::string_view, 6> kCacheKeys = {"bytes",       "ways",  "line",
                                                        "replacement", "write", "inclusion"};
constexpr std::array<std::string_view, 2> kPageKeys = {"small", "large"};
constexpr std::array<std::string_view, 3> kTlbSetKeys = {"instruction", "data", "second"};
constexpr std::array<std::string_view, 3> kTlbKeys = {"entries", "ways", "replacement"};
constexpr std::array<std::string_view, 4> kPrefetchKeys = {"next_line", "instructions",
                                                           "stride_entries", "stride_degree"};
constexpr std::array<std::string_view, 7> kBranchKeys = {
    "direction",      "entries",     "history_bits",  "tables",
    "target_entries", "target_ways", "return_entries"};
constexpr std::array<std::string_view, 8> kCycleKeys = {"per_instruction", "l2_hit",     "l3_hit",
                                                        "memory",          "tlb_second", "walk",
                                                        "misprediction",   "overlap"};

template <typename Value, std::size_t kCount>
using Words = std::array<std::pair<std::string_view, Value>, kCount>;

constexpr Words<Replacement, 3> kReplacements = {{{"lru", Replacement::kLru},
                                                  {"tree-plru", Replacement::kTreePlru},
                                                  {"random", Replacement::kRandom}}};
constexpr Words<WritePolicy, 3> kWritePolicies = {{{"write-back", WritePolicy::kBack},
                                                   {"write-through", WritePolicy::kThrough},
                                                   {"ignored", WritePolicy::kIgnored}}};
constexpr Words<Inclusion, 3> kInclusions = {{{"nine", Inclusion::kNine},
                                              {"inclusive", Inclusion::kInclusive},
                                              {"exclusive", Inclusion::kExclusive}}};
constexpr Words<Split, 2> kSplits = {{{"each-line", Split::kEachLine}, {"once", Split::kOnce}}};
constexpr Words<Direction, 5> kDirections = {{{"none", Direction::kNone},
                                              {"bimodal", Direction::kBimodal},
                                              {"gshare", Direction::kGshare},
                                              {"gselect", Direction::kGselect},
                                              {"tage", Direction::kTage}}};

// In all of these functions an absent key leaves `to` unchanged.
template <typename Value, std::size_t kCount>
Result<void> ReadWord(const TomlTable& table, std::string_view key,
                      const Words<Value, kCount>& words, Value& to) {
  TRY(const auto text, table.Text(key));
  if (!text) return {};
  std::array<std::string_view, kCount> names;
  for (std::size_t i = 0; i < kCount; ++i) {
    names[i] = words[i].first;
    if (names[i] != *text) continue;
    to = words[i].second;
    return {};
  }
  return table.FailAtKey(
      key, fmt::format("{} must be one of {}, not '{}'{}", key, fmt::join(names, ", "),
                       Printable(*text), DidYouMean(*text, names)));
}

Result<void> ReadCount(const TomlTable& table, std::string_view key, unsigned& to) {
  TRY(const auto number, table.Number(key, 0));
  if (!number) return {};
  if (*number > std::numeric_limits<unsigned>::max()) {
    return table.FailAtKey(key, fmt::format("{} is {}: that is too large", key, *number));
  }
  to = static_cast<unsigned>(*number);
  return {};
}

// Reads a number of bytes, or text with a unit.
Result<void> ReadBytes(const TomlTable& table, std::string_view key, std::uint64_t& to) {
  if (!table.IsText(key)) {
    TRY(const auto number, table.Number(key, 0));
    if (number) to = *number;
    return {};
  }
  TRY(const auto text, table.Text(key));
  auto bytes = ParseBytes(text.value_or(""));
  if (!bytes) return table.FailAtKey(key, fmt::format("{}: {}", key, bytes.error().message));
  to = *bytes;
  return {};
}

Result<void> ReadCost(const TomlTable& table, std::string_view key, double& to) {
  TRY(const auto number, table.Real(key));
  to = number.value_or(to);
  return {};
}

class Reader {
 public:
  explicit Reader(const TomlTable& top) : top_(top) {}

  Result<Processor> Read() {
    TRY_VOID(ReadTop());
    TRY_VOID(ReadCaches());
    TRY_VOID(ReadTlbs());
    TRY_VOID(ReadPrefetching());
    TRY_VOID(ReadBranching());
    TRY_VOID(ReadCycles());
    return std::move(processor_);
  }

 private:
  Result<void> ReadTop() {
    TRY_VOID(top_.OnlyKeys(kTopKeys));
    TRY(const auto version, top_.Number("version", 1));
    if (!version) return top_.FailHere("version is missing: this tare reads version 1");
    if (*version != 1) {
      return top_.FailAtKey(
          "version",
          fmt::format("this description has version {}; this tare reads version 1", *version));
    }
    TRY(auto name, top_.Text("name"));
    if (!name) return top_.FailHere("name is missing");
    processor_.name = std::move(*name);
    TRY(auto about, top_.Text("about"));
    processor_.about = std::move(about).value_or("");
    TRY(auto source, top_.Text("source"));
    processor_.source = std::move(source).value_or("");
    TRY_VOID(ReadWord(top_, "split", kSplits, processor_.split));
    TRY_VOID(ReadBytes(top_, "page", processor_.page_bytes));
    TRY(const auto seed, top_.Number("seed", 0));
    processor_.seed = seed.value_or(processor_.seed);
    return {};
  }

  Result<std::optional<CacheLevel>> ReadCache(std::string_view key) {
    TRY(const auto inner, top_.Table(key));
    if (!inner) return std::nullopt;
    const TomlTable& table = *inner;
    TRY_VOID(table.OnlyKeys(kCacheKeys));
    CacheLevel level;
    for (const std::string_view needed : {"bytes", "ways"}) {
      if (!table.Has(needed)) {
        return table.FailHere(fmt::format("{}.{} is missing", key, needed));
      }
    }
    TRY_VOID(ReadBytes(table, "bytes", level.bytes));
    TRY_VOID(ReadCount(table, "ways", level.ways));
    TRY_VOID(ReadCount(table, "line", level.line_bytes));
    TRY_VOID(ReadWord(table, "replacement", kReplacements, level.replacement));
    TRY_VOID(ReadWord(table, "write", kWritePolicies, level.write));
    TRY_VOID(ReadWord(table, "inclusion", kInclusions, level.inclusion));
    return level;
  }

  Result<void> ReadCaches() {
    const std::array<std::pair<std::string_view, CacheLevel*>, 2> first = {
        {{"l1i", &processor_.l1i}, {"l1d", &processor_.l1d}}};
    for (const auto& [key, to] : first) {
      TRY(const auto level, ReadCache(key));
      if (!level) return top_.FailHere(fmt::format("{} is missing", key));
      *to = *level;
    }
    TRY(processor_.l2, ReadCache("l2"));
    TRY(processor_.l3, ReadCache("l3"));
    return {};
  }

  Result<std::optional<TlbLevel>> ReadTlb(const TomlTable& set, std::string_view key) {
    TRY(const auto inner, set.Table(key));
    if (!inner) return std::nullopt;
    const TomlTable& table = *inner;
    TRY_VOID(table.OnlyKeys(kTlbKeys));
    TlbLevel level;
    TRY_VOID(ReadCount(table, "entries", level.entries));
    if (!table.Has("entries")) return table.FailHere("entries is missing");
    level.ways = level.entries;
    TRY_VOID(ReadCount(table, "ways", level.ways));
    TRY_VOID(ReadWord(table, "replacement", kReplacements, level.replacement));
    return level;
  }

  Result<void> ReadTlbs() {
    TRY(const auto tlb, top_.Table("tlb"));
    if (!tlb) return {};
    TRY_VOID(tlb->OnlyKeys(kPageKeys));
    const std::array<std::pair<std::string_view, TlbSet*>, 2> sets = {
        {{"small", &processor_.small_pages}, {"large", &processor_.large_pages}}};
    for (const auto& [key, to] : sets) {
      TRY(const auto set, tlb->Table(key));
      if (!set) continue;
      TRY_VOID(set->OnlyKeys(kTlbSetKeys));
      TRY(to->instruction, ReadTlb(*set, "instruction"));
      TRY(to->data, ReadTlb(*set, "data"));
      TRY(to->second, ReadTlb(*set, "second"));
    }
    return {};
  }

  Result<void> ReadPrefetching() {
    TRY(const auto inner, top_.Table("prefetch"));
    if (!inner) return {};
    const TomlTable& table = *inner;
    TRY_VOID(table.OnlyKeys(kPrefetchKeys));
    Prefetching& to = processor_.prefetching;
    TRY(to.next_line, table.Flag("next_line"));
    TRY(to.instructions, table.Flag("instructions"));
    TRY_VOID(ReadCount(table, "stride_entries", to.stride_entries));
    TRY_VOID(ReadCount(table, "stride_degree", to.stride_degree));
    return {};
  }

  Result<void> ReadBranching() {
    TRY(const auto inner, top_.Table("branch"));
    if (!inner) return {};
    const TomlTable& table = *inner;
    TRY_VOID(table.OnlyKeys(kBranchKeys));
    Branching& to = processor_.branching;
    TRY_VOID(ReadWord(table, "direction", kDirections, to.direction));
    const std::array<std::pair<std::string_view, unsigned*>, 6> counts = {
        {{"entries", &to.entries},
         {"history_bits", &to.history_bits},
         {"tables", &to.tables},
         {"target_entries", &to.target_entries},
         {"target_ways", &to.target_ways},
         {"return_entries", &to.return_entries}}};
    for (const auto& [key, count] : counts) TRY_VOID(ReadCount(table, key, *count));
    return {};
  }

  Result<void> ReadCycles() {
    TRY(const auto inner, top_.Table("cycles"));
    if (!inner) return {};
    const TomlTable& table = *inner;
    TRY_VOID(table.OnlyKeys(kCycleKeys));
    CycleCosts& to = processor_.cycles;
    const std::array<double*, kCycleKeys.size()> costs = {
        &to.per_instruction, &to.l2_hit, &to.l3_hit,        &to.memory,
        &to.tlb_second,      &to.walk,   &to.misprediction, &to.overlap};
    for (std::size_t i = 0; i < costs.size(); ++i) {
      TRY_VOID(ReadCost(table, kCycleKeys[i], *costs[i]));
    }
    return {};
  }

  TomlTable top_;
  Processor processor_;
};

}  // namespace

Result<Processor> ParseProcessor(std::string_view toml, std::string_view origin) {
  TRY(const auto file, TomlFile::Parse(toml, origin));
  TRY(Processor processor, Reader(file.Root()).Read());
  if (const auto mistake = FirstMistake(processor)) {
    return file.Root().FailAtField(mistake->field,
                                   fmt::format("{} {}", mistake->field, mistake->message));
  }
  return processor;
}

Result<Processor> ReadProcessor(const std::filesystem::path& path) {
  TRY(const std::string text, ReadFile(path, kMaxFileBytes));
  return ParseProcessor(text, path.string());
}

}  // namespace tare::model
