// software_counters_layout.cc: checks the offsets and sizes of a counter file and parses its units.
#include "format/software_counters_layout.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "base/byte_reader.h"

namespace tare::format {
namespace {

// No program writes more. The limits keep damaged sizes from exhausting memory.
constexpr std::uint64_t kMaxPathBytes = 65536;
constexpr std::uint64_t kMaxUnitBytes = std::uint64_t{1} << 28;
constexpr std::uint64_t kMaxFunctions = std::uint64_t{1} << 20;
constexpr std::uint64_t kMaxRingBytes = std::uint64_t{1} << 30;
constexpr std::uint64_t kMaxCounterBanks = 65536;
constexpr std::uint64_t kMaxSlots = std::uint64_t{1} << 24;
constexpr std::uint64_t kHistogramSlots = 65;
constexpr std::uint64_t kWord = sizeof(std::uint64_t);

std::unexpected<Error> DamagedLayout(std::string_view what) {
  return Fail(ErrorKind::kFormat, fmt::format("counters: {}", what));
}

// Whether `count` items of `bytes` each fit into the file at an aligned offset.
bool Holds(std::uint64_t file_bytes, std::uint64_t at, std::uint64_t count, std::uint64_t bytes) {
  return at % kWord == 0 && at <= file_bytes &&
         (count == 0 || bytes == 0 || bytes <= (file_bytes - at) / count);
}

Result<void> CheckBanks(const tare_counters_header& header, std::uint64_t file_bytes) {
  if (header.banks > kMaxCounterBanks || header.slots > kMaxSlots ||
      header.bank_bytes % kWord != 0 || header.slots > header.bank_bytes / kWord) {
    return DamagedLayout("impossible bank sizes");
  }
  if (!Holds(file_bytes, header.owners_at, header.banks, kWord) ||
      !Holds(file_bytes, header.banks_at, header.banks, header.bank_bytes)) {
    return DamagedLayout("its counters extend past its end");
  }
  if (header.function_slot > header.slots ||
      header.function_slots > header.slots - header.function_slot ||
      header.functions_room > kMaxFunctions ||
      !Holds(file_bytes, header.functions_at, header.functions_room,
             sizeof(tare_counters_function))) {
    return DamagedLayout("its functions extend past its end");
  }
  return {};
}

Result<void> CheckSamples(const tare_counters_header& header, std::uint64_t file_bytes) {
  if (header.samples_room == 0) return {};
  const std::uint64_t without_events = TARE_SAMPLE_FIXED_VALUES + header.slots;
  if (header.sample_values < without_events ||
      header.sample_values > without_events + TARE_SAMPLE_MAX_EVENTS) {
    return DamagedLayout("its sample records do not have the size of its counters");
  }
  const std::uint64_t record = header.sample_values * kWord;
  if (header.samples_room > kMaxRingBytes / record ||
      !Holds(file_bytes, header.samples_at, header.samples_room, record)) {
    return DamagedLayout("its samples extend past its end");
  }
  return {};
}

std::string_view TakeField(std::string_view& line) {
  const std::size_t tab = line.find('\t');
  const std::string_view field = line.substr(0, tab);
  line = tab == std::string_view::npos ? std::string_view{} : line.substr(tab + 1);
  return field;
}

std::optional<std::uint64_t> TakeNumber(std::string_view& line) {
  const std::string_view field = TakeField(line);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), number);
  if (error != std::errc() || end != field.data() + field.size()) return std::nullopt;
  return number;
}

std::optional<SlotKind> ParseKind(std::string_view word) {
  if (word == "count") return SlotKind::kCount;
  if (word == "sum") return SlotKind::kSum;
  if (word == "minimum") return SlotKind::kMinimum;
  if (word == "maximum") return SlotKind::kMaximum;
  if (word == "histogram") return SlotKind::kHistogram;
  return std::nullopt;
}

struct UnitPlace {
  std::uint64_t id = 0;
  std::uint64_t first = 0;  // first slot in the bank
  std::uint64_t slots = 0;

  bool Holds(std::uint64_t slot, std::uint64_t count) const {
    return slot <= slots && count <= slots - slot;
  }
};

Result<void> ParseMetric(std::string_view line, const UnitPlace& unit, UnitContents& contents) {
  constexpr std::string_view kSigned = "signed-";
  SlotMetric metric;
  metric.name = TakeField(line);
  std::string_view kind_word = TakeField(line);
  metric.is_signed = kind_word.starts_with(kSigned);
  if (metric.is_signed) kind_word.remove_prefix(kSigned.size());
  const auto kind = ParseKind(kind_word);
  const auto slot = TakeNumber(line);
  if (!kind || !slot) return DamagedLayout("a metric that cannot be read");
  metric.kind = *kind;
  if (!unit.Holds(*slot, *kind == SlotKind::kHistogram ? kHistogramSlots : 1)) {
    return DamagedLayout("a metric outside its unit's counters");
  }
  metric.slot = unit.first + *slot;
  if (TakeField(line) == "site") metric.site = TakeField(line);
  contents.metrics.push_back(std::move(metric));
  return {};
}

void ParseEntry(std::string_view line, UnitContents& contents) {
  EntryMetric entry;
  entry.name = TakeField(line);
  entry.linkage = TakeField(line);
  (TakeField(line) == "hidden" ? contents.hidden_entries : contents.entries)
      .push_back(std::move(entry));
}

Result<void> ParseFunction(std::string_view line, const UnitPlace& unit, UnitContents& contents) {
  SlotMetric metric;
  metric.name = TakeField(line);
  metric.is_function = true;
  const auto slot = TakeNumber(line);
  if (!slot || !unit.Holds(*slot, 1))
    return DamagedLayout("a function outside its unit's counters");
  metric.slot = unit.first + *slot;
  contents.metrics.push_back(std::move(metric));
  return {};
}

Result<void> ParseBlocks(std::string_view line, const UnitPlace& unit, UnitContents& contents) {
  const auto first = TakeNumber(line);
  const auto count = TakeNumber(line);
  if (!first || !count || !unit.Holds(*first, *count)) {
    return DamagedLayout("blocks outside their unit's counters");
  }
  contents.blocks.push_back({unit.id, unit.first + *first, *count});
  return {};
}

Result<void> ParseText(std::string_view text, const UnitPlace& unit, UnitContents& contents) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const std::string_view word = TakeField(line);
    if (word == "metric") TRY_VOID(ParseMetric(line, unit, contents));
    if (word == "entry") ParseEntry(line, contents);
    if (word == "function") TRY_VOID(ParseFunction(line, unit, contents));
    if (word == "blocks") TRY_VOID(ParseBlocks(line, unit, contents));
  }
  return {};
}

// Any addresses are accepted: only their differences matter, and they must be within the module's
// own section.
Result<UnitPlace> PlaceOf(const tare_counters_unit& unit, std::uint64_t position,
                          const tare_counters_header& header) {
  const std::uint64_t member =
      header.units_address + position + offsetof(tare_counters_unit, counters_offset);
  const std::uint64_t distance =
      member + static_cast<std::uint64_t>(unit.counters_offset) - header.counters_address;
  const UnitPlace place{unit.id, distance / kWord, unit.slots};
  if (distance % kWord != 0 || place.first > header.function_slot ||
      place.slots > header.function_slot - place.first) {
    return DamagedLayout("a unit outside the counters");
  }
  return place;
}

}  // namespace

Result<void> CheckCounterLayout(const tare_counters_header& header, std::uint64_t file_bytes) {
  if (header.magic == 0) return DamagedLayout("not yet complete");
  if (header.magic != TARE_COUNTERS_MAGIC) return DamagedLayout("not a file of counters");
  if (header.version != TARE_COUNTERS_VERSION) {
    return DamagedLayout(fmt::format("it has version {}; this tare reads version {}",
                                     header.version, TARE_COUNTERS_VERSION));
  }
  if (header.path_bytes > kMaxPathBytes || header.units_bytes > kMaxUnitBytes ||
      !Holds(file_bytes, header.path_at, header.path_bytes, 1) ||
      !Holds(file_bytes, header.units_at, header.units_bytes, 1)) {
    return DamagedLayout("its path or units extend past its end");
  }
  TRY_VOID(CheckBanks(header, file_bytes));
  return CheckSamples(header, file_bytes);
}

Result<UnitContents> ParseUnits(std::span<const std::byte> units,
                                const tare_counters_header& header) {
  UnitContents contents;
  ByteReader reader(units);
  while (!reader.AtEnd()) {
    const std::uint64_t position = reader.Position();
    TRY(const auto size, reader.Read<std::uint64_t>());
    if (size == 0) continue;  // padding inserted by the linker
    TRY_VOID(reader.Seek(position));
    TRY(const auto unit, reader.Read<tare_counters_unit>());
    if (size % kWord != 0 || size < sizeof unit || size > units.size() - position ||
        unit.text_bytes > size - sizeof unit) {
      return DamagedLayout(fmt::format("a unit of {} bytes at {}", size, position));
    }
    TRY(const auto place, PlaceOf(unit, position, header));
    TRY(const auto text, reader.Take(unit.text_bytes));
    TRY_VOID(ParseText({reinterpret_cast<const char*>(text.data()), text.size()}, place, contents));
    TRY_VOID(reader.Seek(position + size));
  }
  return contents;
}

}  // namespace tare::format
