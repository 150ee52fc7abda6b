// command_line.cc: the parser, built on CLI11; no other file uses CLI11.
#include "cli/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/near_match.h"
#include "base/printable.h"

namespace tare::cli {
namespace {

// "M N" takes two words.
int WordsOf(const FlagText& flag) {
  return static_cast<int>(std::ranges::count(flag.value, ' ') + 1);
}

CLI::Option* Declare(CLI::App& app, const FlagText& flag) {
  const std::string names(flag.names);
  if (flag.value.empty()) return app.add_flag(names);
  if (Repeats(flag)) {
    return app.add_option(names)->type_size(1)->expected(1)->multi_option_policy(
        CLI::MultiOptionPolicy::TakeAll);
  }
  if (MayLackValue(flag)) {
    return app.add_option(names)->type_size(1)->expected(0, 1);
  }
  return app.add_option(names)->type_size(WordsOf(flag))->expected(1);
}

std::unexpected<Error> Unknown(const std::string& word, std::span<const BoundFlag> flags) {
  std::vector<std::string_view> names;
  for (const BoundFlag& flag : flags) names.push_back(LongName(flag.text));
  if (!word.starts_with('-')) {
    return Fail(ErrorKind::kUsage, fmt::format("unexpected argument '{}'", Printable(word)));
  }
  return Fail(ErrorKind::kUsage,
              fmt::format("unknown option {}{}", Printable(word), DidYouMean(word, names)));
}

// An option with too few or too many values; CLI11's message begins with the option and a colon.
std::unexpected<Error> WrongValues(std::string_view message, std::span<const BoundFlag> flags) {
  const std::string_view name = message.substr(0, message.find(':'));
  for (const BoundFlag& flag : flags) {
    if (LongName(flag.text) != name) continue;
    if (flag.text.value.empty()) {
      return Fail(ErrorKind::kUsage, fmt::format("{} takes no value", name));
    }
    const int words = WordsOf(flag.text);
    const std::string needed = words == 1 ? "a value" : fmt::format("{} values", words);
    return Fail(ErrorKind::kUsage,
                fmt::format("{0} needs {1}: {0} {2}", name, needed, flag.text.value));
  }
  return Fail(ErrorKind::kUsage, Printable(message));
}

Result<std::vector<std::string>> Parse(CLI::App& app, std::span<const std::string> words,
                                       std::span<const BoundFlag> flags) {
  // CLI11 takes its words from the back of the vector.
  std::vector<std::string> reversed(words.rbegin(), words.rend());
  try {
    app.parse(std::move(reversed));
    return app.remaining();
  } catch (const CLI::ArgumentMismatch& error) {
    return WrongValues(error.what(), flags);
  } catch (const CLI::ParseError& error) {
    return Fail(ErrorKind::kUsage, Printable(error.what()));
  } catch (const std::exception& error) {
    return Fail(ErrorKind::kUsage, Printable(error.what()));
  }
}

}  // namespace

Result<GivenWords> ParseCommandLine(std::span<const std::string> words,
                                    std::span<const BoundFlag> flags, std::size_t max_operands) {
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  std::vector<CLI::Option*> options;
  for (const BoundFlag& flag : flags) options.push_back(Declare(app, flag.text));
  const auto dashes = max_operands > 0 ? std::ranges::find(words, "--") : words.end();
  TRY(auto operands, Parse(app, {words.begin(), dashes}, flags));
  const auto unknown = std::ranges::find_if(
      operands, [](const std::string& word) { return word.starts_with('-') && word != "-"; });
  if (unknown != operands.end()) return Unknown(*unknown, flags);
  if (dashes != words.end()) operands.insert(operands.end(), dashes + 1, words.end());
  if (operands.size() > max_operands) return Unknown(operands[max_operands], flags);

  GivenWords result{{}, std::move(operands)};
  for (std::size_t i = 0; i < flags.size(); ++i) {
    if (options[i]->count() == 0) continue;
    std::vector<std::string> given = options[i]->results();
    const std::string& last = given.empty() ? std::string() : given.back();
    // CLI11 has different words for an absent value.
    if (MayLackValue(flags[i].text) && (last.empty() || last == "{}" || last == "true")) {
      given = {std::string(kWithoutValue)};
    }
    if (std::ranges::count(given, std::string()) > 0 && !flags[i].text.value.empty()) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("{} '': expected {}", LongName(flags[i].text), flags[i].text.value));
    }
    TRY_VOID(flags[i].set(given));
    std::string name(LongName(flags[i].text).substr(2));
    result.settings[name] =
        flags[i].text.value.empty() ? "on" : fmt::format("{}", fmt::join(given, " "));
  }
  return result;
}

}  // namespace tare::cli
