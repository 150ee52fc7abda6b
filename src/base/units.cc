// units.cc: scales of units, and parsing and formatting of quantities.
#include "base/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

#include "base/printable.h"

namespace tare {
namespace {

struct Step {
  std::string_view symbol;
  double size;  // in the base unit of the scale
};

constexpr double kDay = 86400.0;

// No minutes or hours: run times up to a day are compared in seconds.
constexpr auto kTime = std::to_array<Step>({{"ns", 1e-9},
                                            {"µs", 1e-6},
                                            {"ms", 1e-3},
                                            {"s", 1.0},
                                            {"days", kDay},
                                            {"years", 365.0 * kDay},
                                            {"centuries", 36500.0 * kDay}});
constexpr auto kBytes = std::to_array<Step>(
    {{"B", 1.0}, {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}});
constexpr auto kHertz =
    std::to_array<Step>({{"Hz", 1.0}, {"kHz", 1e3}, {"MHz", 1e6}, {"GHz", 1e9}});
constexpr auto kByteRate = std::to_array<Step>(
    {{"B/s", 1.0}, {"kB/s", 1e3}, {"MB/s", 1e6}, {"GB/s", 1e9}, {"TB/s", 1e12}});
constexpr auto kRate = std::to_array<Step>({{"/s", 1.0}, {"k/s", 1e3}, {"M/s", 1e6}, {"G/s", 1e9}});
constexpr auto kFlops = std::to_array<Step>(
    {{"flop/s", 1.0}, {"kflop/s", 1e3}, {"Mflop/s", 1e6}, {"Gflop/s", 1e9}, {"Tflop/s", 1e12}});
constexpr auto kOperations = std::to_array<Step>(
    {{"op/s", 1.0}, {"kop/s", 1e3}, {"Mop/s", 1e6}, {"Gop/s", 1e9}, {"Top/s", 1e12}});
constexpr std::array<std::span<const Step>, 7> kLadders = {kTime, kBytes, kHertz,     kByteRate,
                                                           kRate, kFlops, kOperations};

constexpr auto kLong = std::to_array<Step>({{"ns", 1e-9},
                                            {"µs", 1e-6},
                                            {"ms", 1e-3},
                                            {"s", 1.0},
                                            {"min", 60.0},
                                            {"h", 3600.0},
                                            {"days", kDay},
                                            {"years", 365.0 * kDay},
                                            {"centuries", 36500.0 * kDay}});

constexpr auto kWrittenTime = std::to_array<Step>({{"ns", 1e-9},
                                                   {"us", 1e-6},
                                                   {"µs", 1e-6},
                                                   {"ms", 1e-3},
                                                   {"s", 1.0},
                                                   {"min", 60.0},
                                                   {"h", 3600.0}});

constexpr auto kWrittenBytes = std::to_array<Step>({{"", 1.0},
                                                    {"B", 1.0},
                                                    {"KiB", 0x1p10},
                                                    {"MiB", 0x1p20},
                                                    {"GiB", 0x1p30},
                                                    {"TiB", 0x1p40},
                                                    {"KB", 1e3},
                                                    {"MB", 1e6},
                                                    {"GB", 1e9}});

// A non-negative finite number at the start of `text` and the text after it, without the blanks
// between them.
struct NumberAndRest {
  double number;
  std::string_view rest;
};

std::optional<NumberAndRest> SplitNumber(std::string_view text) {
  NumberAndRest split{};
  const char* end = text.data() + text.size();
  const auto [after, error] = std::from_chars(text.data(), end, split.number);
  if (error != std::errc() || !std::isfinite(split.number) || std::signbit(split.number)) {
    return std::nullopt;
  }
  split.rest = text.substr(static_cast<std::size_t>(after - text.data()));
  while (split.rest.starts_with(' ')) split.rest.remove_prefix(1);
  return split;
}

std::optional<Step> FindStep(std::span<const Step> ladder, std::string_view symbol) {
  for (const Step& step : ladder) {
    if (step.symbol == symbol) return step;
  }
  return std::nullopt;
}

// The largest unit in which the value is at least one, or the smallest unit if there is none.
const Step& BestStep(std::span<const Step> ladder, double magnitude) {
  const Step* best = &ladder.front();
  for (const Step& step : ladder) {
    // A value that would round up to the next unit at three digits is shown in that unit: 999.6 ns
    // is 1.00 µs.
    if (magnitude >= step.size * 0.9995) best = &step;
  }
  return *best;
}

}  // namespace

Result<WrittenDuration> ParseWrittenDuration(std::string_view text) {
  const auto split = SplitNumber(text);
  const auto step = split ? FindStep(kWrittenTime, split->rest) : std::nullopt;
  if (!step) {
    return Fail(ErrorKind::kUsage,
                fmt::format("'{}' is not a duration; write a number with ns, us, ms, s, min or h, "
                            "such as 40us or 1.5s",
                            Printable(text)));
  }
  return WrittenDuration{split->number * step->size,
                         step->symbol == "µs" ? "us" : std::string(step->symbol)};
}

Result<double> ParseDuration(std::string_view text) {
  TRY(const auto written, ParseWrittenDuration(text));
  return written.seconds;
}

Result<std::uint64_t> ParseBytes(std::string_view text) {
  const auto split = SplitNumber(text);
  const auto step = split ? FindStep(kWrittenBytes, split->rest) : std::nullopt;
  const double bytes = step ? split->number * step->size : -1.0;
  constexpr double kMax = 0x1p63;
  if (bytes < 0 || bytes >= kMax || bytes != std::floor(bytes)) {
    return Fail(
        ErrorKind::kUsage,
        fmt::format("'{}' is not a size; write whole bytes with B, KiB, MiB or GiB, such as "
                    "64KiB",
                    Printable(text)));
  }
  return static_cast<std::uint64_t>(bytes);
}

double SecondsPer(std::string_view unit) {
  const auto step = FindStep(kWrittenTime, unit);
  return step ? step->size : 0.0;
}

ScaledUnit ReadableUnit(double value, std::string_view unit) {
  for (const auto& ladder : kLadders) {
    const auto from = FindStep(ladder, unit == "us" ? "µs" : unit);
    if (!from || !std::isfinite(value)) continue;
    const double magnitude = std::abs(value) * from->size;
    const Step& best = magnitude == 0 ? *from : BestStep(ladder, magnitude);
    return {std::string(best.symbol), from->size / best.size};
  }
  return {std::string(unit), 1.0};
}

std::optional<double> FactorBetween(std::string_view from, std::string_view to) {
  if (from == to) return 1.0;
  for (const auto& ladder : kLadders) {
    const auto one = FindStep(ladder, from == "us" ? "µs" : from);
    const auto other = FindStep(ladder, to == "us" ? "µs" : to);
    if (one && other) return one->size / other->size;
  }
  return std::nullopt;
}

std::string Rounded(double value, int digits) {
  if (!std::isfinite(value)) return "-";
  if (value == 0) return "0";
  // Rounding may add a digit: 9.99 is 10 with two.
  double magnitude = std::abs(value);
  const auto exponent_of = [](double number) {
    return static_cast<int>(std::floor(std::log10(number)));
  };
  const double unit = std::pow(10, exponent_of(magnitude) - digits + 1);
  magnitude = std::round(magnitude / unit) * unit;
  const int decimals = std::max(0, digits - 1 - exponent_of(magnitude));
  std::string text = fmt::format("{:.{}f}", magnitude, decimals);
  const std::size_t point = text.find('.');
  if (point != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  for (std::size_t i = std::min(point, text.size()); i > 3; i -= 3) text.insert(i - 3, ",");
  return value < 0 ? "-" + text : text;
}

std::string LongDuration(double seconds) {
  const Step& step = BestStep(kLong, seconds);
  const double value = seconds / step.size;
  if (value >= 1000) return fmt::format("{} {}", Rounded(value, 3), step.symbol);
  const int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f} {}", value, decimals, step.symbol);
}

}  // namespace tare
