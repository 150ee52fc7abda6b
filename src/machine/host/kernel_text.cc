// kernel_text.cc: trimming, splitting, number parsing and CPU lists.
#include "machine/host/kernel_text.h"

#include <charconv>
#include <cmath>

namespace tare::host {
namespace {

constexpr std::string_view kBlank(" \t\r\n\v\f\0", 7);
// No kernel supports more processors (CONFIG_NR_CPUS ends at 8192 on x86 and at 4096 on ARM).
constexpr std::uint64_t kMaxProcessors = 1 << 16;

template <typename Number>
std::optional<Number> Parsed(std::string_view text, auto... how) {
  text = Trimmed(text);
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, how...);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<std::string_view> Parts(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto first = text.find_first_not_of(separators);
    if (first == std::string_view::npos) return parts;
    text.remove_prefix(first);
    const auto length = text.find_first_of(separators);
    parts.push_back(text.substr(0, length));
    if (length == std::string_view::npos) return parts;
    text.remove_prefix(length);
  }
}

}  // namespace

std::string_view Trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::vector<std::string_view> Lines(std::string_view text) { return Parts(text, "\n"); }

std::vector<std::string_view> Words(std::string_view text) { return Parts(text, kBlank); }

std::optional<std::uint64_t> WholeNumber(std::string_view text) {
  return Parsed<std::uint64_t>(text);
}

std::optional<std::int64_t> SignedNumber(std::string_view text) {
  return Parsed<std::int64_t>(text);
}

std::optional<std::uint64_t> HexNumber(std::string_view text) {
  text = Trimmed(text);
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  return Parsed<std::uint64_t>(text, 16);
}

std::optional<double> PositiveReal(std::string_view text) {
  const auto value = Parsed<double>(text, std::chars_format::general);
  if (!value || !std::isfinite(*value) || *value < 0) return std::nullopt;
  return value;
}

std::optional<std::string_view> ValueOf(std::string_view text, std::string_view key,
                                        char separator) {
  for (std::string_view line : Lines(text)) {
    const auto at = line.find(separator);
    if (at == std::string_view::npos || Trimmed(line.substr(0, at)) != key) continue;
    return Trimmed(line.substr(at + 1));
  }
  return std::nullopt;
}

std::optional<std::string_view> Chosen(std::string_view text) {
  const auto open = text.find('[');
  if (open == std::string_view::npos) return std::nullopt;
  const auto close = text.find(']', open);
  if (close == std::string_view::npos || close == open + 1) return std::nullopt;
  return text.substr(open + 1, close - open - 1);
}

std::optional<std::size_t> ListedProcessors(std::string_view text) {
  text = Trimmed(text);
  if (text.empty() || text == "(null)") return 0;
  std::size_t count = 0;
  while (true) {
    const auto comma = text.find(',');
    const auto range = text.substr(0, comma);
    const auto dash = range.find('-');
    const auto first = WholeNumber(range.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : WholeNumber(range.substr(dash + 1));
    if (!first || !last || *first > *last || *last >= kMaxProcessors) return std::nullopt;
    count += *last - *first + 1;
    if (count > kMaxProcessors) return std::nullopt;
    if (comma == std::string_view::npos) return count;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace tare::host
