// command.cc: converts words of the command line to options.
#include "cli/command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/near_match.h"
#include "base/printable.h"

namespace tare::cli {
namespace {

std::unexpected<Error> BadValue(const FlagText& flag, std::string_view word,
                                std::string_view expected) {
  return Fail(ErrorKind::kUsage,
              fmt::format("{} {}: expected {}", LongName(flag), Printable(word), expected));
}

template <typename T>
Result<T> ParseNumber(const FlagText& flag, const std::string& word, std::string_view expected) {
  T number{};
  const char* end = word.data() + word.size();
  const auto [after, error] = std::from_chars(word.data(), end, number);
  if (error != std::errc() || after != end) return BadValue(flag, word, expected);
  if (number < 0) return BadValue(flag, word, "0 or more");
  if constexpr (std::is_floating_point_v<T>) {
    if (!std::isfinite(number)) return BadValue(flag, word, expected);
  }
  return number;
}

}  // namespace

std::string_view LongName(const FlagText& flag) {
  const auto comma = flag.names.rfind(',');
  return comma == std::string_view::npos ? flag.names : flag.names.substr(comma + 1);
}

std::unexpected<Error> ProgramMissing(std::string_view command) {
  return Fail(ErrorKind::kUsage,
              fmt::format("no program to measure; usage: tare {} [options] -- PROGRAM "
                          "[ARGUMENT...]",
                          command));
}

bool Repeats(const FlagText& flag) { return flag.value.ends_with("..."); }

bool MayLackValue(const FlagText& flag) { return flag.value.starts_with('['); }

Result<void> SetOption(bool& option, const FlagText&, std::span<const std::string>) {
  option = true;
  return {};
}

Result<void> SetOption(std::optional<std::int64_t>& option, const FlagText& flag,
                       std::span<const std::string> words) {
  TRY(option, ParseNumber<std::int64_t>(flag, words.front(), "a whole number"));
  return {};
}

Result<void> SetOption(std::optional<double>& option, const FlagText& flag,
                       std::span<const std::string> words) {
  TRY(option, ParseNumber<double>(flag, words.front(), "a number"));
  return {};
}

Result<void> SetOption(std::string& option, const FlagText& flag,
                       std::span<const std::string> words) {
  const std::string& word = words.front();
  if (!flag.choices.empty() && std::ranges::count(flag.choices, std::string_view(word)) == 0) {
    return Fail(ErrorKind::kUsage,
                fmt::format("{} {}: expected one of {}{}", LongName(flag), Printable(word),
                            fmt::join(flag.choices, ", "), DidYouMean(word, flag.choices)));
  }
  option = word;
  return {};
}

Result<void> SetOption(std::optional<WrittenDuration>& option, const FlagText& flag,
                       std::span<const std::string> words) {
  auto duration = ParseWrittenDuration(words.front());
  if (!duration) {
    return Fail(ErrorKind::kUsage, fmt::format("{}: {}", LongName(flag), duration.error().message));
  }
  option = *duration;
  return {};
}

Result<void> SetOption(std::vector<std::int64_t>& option, const FlagText& flag,
                       std::span<const std::string> words) {
  option.clear();
  for (const std::string& word : words) {
    TRY(const auto number, ParseNumber<std::int64_t>(flag, word, "a whole number"));
    option.push_back(number);
  }
  return {};
}

Result<void> SetOption(std::vector<std::string>& option, const FlagText&,
                       std::span<const std::string> words) {
  option.assign(words.begin(), words.end());
  return {};
}

}  // namespace tare::cli
