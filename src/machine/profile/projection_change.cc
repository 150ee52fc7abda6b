// projection_change.cc: parsing changes of a machine.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "base/printable.h"
#include "base/units.h"
#include "machine/profile/profile_validity.h"
#include "machine/profile/projection.h"

namespace tare::machine_profile {
namespace {

constexpr std::string_view kForms =
    "L2.bytes=2MiB, L2.ways=16, memory.bandwidth=x2, memory.latency=60ns, L1.load=x1.5, "
    "TLB.entries=512, clock=x1.2, 'add L3 bytes=32MiB ways=16 latency=20ns bandwidth=30GB/s' or "
    "'remove L3'";

// Larger factors are typing errors: no machine differs this much from its predecessor.
constexpr double kMaxFactor = 1000;

std::unexpected<Error> NotAChange(std::string_view text) {
  return Fail(ErrorKind::kUsage,
              fmt::format("'{}' is not a change; write {}", Printable(text), kForms));
}

bool IsFactor(std::string_view text) {
  return text.size() > 1 && text.front() == 'x' &&
         std::string_view("0123456789.-+").find(text[1]) != std::string_view::npos;
}

Result<double> ParseFactor(std::string_view text) {
  const std::string_view digits = text.substr(1);
  double factor = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), factor);
  if (error != std::errc() || end != digits.data() + digits.size() ||
      !(factor >= 1 / kMaxFactor && factor <= kMaxFactor)) {
    return Fail(ErrorKind::kUsage, fmt::format("'{}' is not a factor from x{} to x{}",
                                               Printable(text), 1 / kMaxFactor, kMaxFactor));
  }
  return factor;
}

std::vector<std::string_view> WordsOf(std::string_view text) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t start = text.find_first_not_of(" \t");
    if (start == std::string_view::npos) return words;
    text.remove_prefix(start);
    const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

Result<Level> ParseAdded(std::span<const std::string_view> words) {
  Level level;
  level.name = words.front();
  level.origin = Origin::kProjected;
  for (const std::string_view word : words.subspan(1)) {
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) {
      return Fail(ErrorKind::kUsage, fmt::format("'{}' of the added level {} is not FIELD=VALUE",
                                                 Printable(word), Printable(level.name)));
    }
    TRY(const LevelField field, ParseLevelField(word.substr(0, equals)));
    TRY(const double value, ParseLevelValue(field, word.substr(equals + 1)));
    SetField(level, field, value, Origin::kProjected);
  }
  if (level.bytes == 0 || !level.latency || !level.load || !level.store) {
    return Fail(
        ErrorKind::kUsage,
        fmt::format("the added level {} needs bytes, latency and bandwidth: add {} bytes=32MiB "
                    "latency=20ns bandwidth=30GB/s",
                    Printable(level.name), Printable(level.name)));
  }
  return level;
}

// Both architectures have a TLB per level, without spaces in a change: "TLB1" for "TLB 1".
bool IsTlb(std::string_view name) {
  if (!name.starts_with("TLB")) return false;
  name.remove_prefix(3);
  return name.find_first_not_of("0123456789") == std::string_view::npos;
}

Result<Change> ParseTlbChange(Change change, std::string_view field, std::string_view value) {
  change.kind = Change::Kind::kTlb;
  if (field == "miss") {
    change.tlb_field = TlbField::kMiss;
    TRY(change.value, ParseDuration(value));
    return change;
  }
  if (field != "entries" && field != "page") {
    return Fail(ErrorKind::kUsage,
                fmt::format("a TLB has no '{}'; it has entries, page and miss", Printable(field)));
  }
  change.tlb_field = field == "page" ? TlbField::kPage : TlbField::kEntries;
  constexpr std::uint64_t kMax = std::uint64_t{1} << 40;
  const auto whole = ParseBytes(value);
  if (!whole || *whole == 0 || *whole > kMax) {
    return Fail(ErrorKind::kUsage,
                fmt::format("invalid value for {}: '{}'", field, Printable(value)));
  }
  change.value = static_cast<double>(*whole);
  return change;
}

Result<Change> ParseAssignment(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return NotAChange(text);
  const std::string_view what = text.substr(0, equals);
  const std::string_view value = text.substr(equals + 1);
  Change change;
  change.text = text;
  if (what == "clock") {
    if (!IsFactor(value)) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("the clock is changed by a factor, such as x1.2, not "
                              "to '{}'",
                              Printable(value)));
    }
    change.kind = Change::Kind::kClock;
    TRY(change.value, ParseFactor(value));
    return change;
  }
  const std::size_t dot = what.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return NotAChange(text);
  change.level = what.substr(0, dot);
  if (IsTlb(change.level)) return ParseTlbChange(change, what.substr(dot + 1), value);
  TRY(change.field, ParseLevelField(what.substr(dot + 1)));
  if (IsFactor(value)) {
    change.kind = Change::Kind::kScale;
    TRY(change.value, ParseFactor(value));
  } else {
    TRY(change.value, ParseLevelValue(change.field, value));
  }
  return change;
}

}  // namespace

Result<Change> ParseChange(std::string_view text) {
  const auto words = WordsOf(text);
  if (words.empty()) return NotAChange(text);
  if (words.front() == "add" && words.size() > 1) {
    TRY(Level level, ParseAdded(std::span(words).subspan(1)));
    Change change{.kind = Change::Kind::kAdd, .level = level.name, .added = level, .text = {}};
    change.text = text;
    return change;
  }
  if (words.front() == "remove" && words.size() == 2) {
    Change change{.kind = Change::Kind::kRemove, .level = {}, .added = {}, .text = {}};
    change.level = words[1];
    change.text = text;
    return change;
  }
  if (words.size() != 1) return NotAChange(text);
  return ParseAssignment(words.front());
}

}  // namespace tare::machine_profile
