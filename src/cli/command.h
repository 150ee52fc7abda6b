// command.h: what a command is: a name, flag rows bound to a struct of options, and work that ends
// in a Document.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "base/units.h"
#include "report/document.h"

namespace tare::cli {

// A row of help, manual page, completion and parser at once. `names` is "--every" or "-q,--quiet";
// a switch has no `value`; "M N" as value takes two words. "CHANGE..." may be given several times.
struct FlagText {
  std::string_view names;
  std::string_view value;
  std::string_view help;
  std::span<const std::string_view> choices = {};
};

// A row and the option that it sets.
template <typename Options>
struct Flag {
  FlagText text;
  std::variant<bool Options::*, std::optional<std::int64_t> Options::*,
               std::optional<double> Options::*, std::string Options::*,
               std::optional<WrittenDuration> Options::*, std::vector<std::int64_t> Options::*,
               std::vector<std::string> Options::*>
      member;
};

// What work may ask of the world around it.
struct Session {
  Progress progress;
  std::vector<std::string> program = {};   // the words behind "--"
  std::vector<std::string> operands = {};  // words that belong to no flag
  bool machine_readable = false;           // standard output is for the document alone
  std::string only_block = {};             // the one block that anybody will see; empty for all
  std::function<bool()> interrupted = [] { return false; };
  // A sentence for the user while the work goes on.
  std::function<void(std::string_view)> notice = [](std::string_view) {};
};

// What a command leaves behind. `exit_status` is that of the measured program, where there is one.
struct Outcome {
  report::Document document;
  int exit_status = 0;
  // Standard output was the program's: text for people goes to standard error.
  bool beside_program = false;
};

// A flag of one invocation: `set` takes the words of the command line.
struct BoundFlag {
  FlagText text;
  std::function<Result<void>(std::span<const std::string> words)> set;
};

struct Invocation {
  std::vector<BoundFlag> flags;
  std::function<Result<Outcome>(Session&)> run;
};

struct Example {
  std::string_view command;
  std::string_view what;
};

// Words besides the options, such as the files to look at.
struct Operands {
  std::string_view names = {};  // "BINARY [BINARY]"
  std::size_t least = 0;
  std::size_t most = 0;
};

// Commands that share their first word, which alone is no command.
struct CommandGroup {
  std::string_view name;
  std::string_view summary;      // one line, no full stop
  std::string_view description;  // paragraphs
};

struct CommandText {
  std::string_view name;         // "timer", or "machine show" for one of a group
  std::string_view summary;      // one line, no full stop
  std::string_view description;  // paragraphs
  std::span<const Example> examples;
  bool takes_program = false;  // "-- PROGRAM [ARGUMENT...]" follows the options
  Operands operands = {};
  bool may_lack_program = false;  // some options need none: the command itself asks for it
};

struct Command {
  CommandText text;
  std::function<Invocation()> bind;  // fresh options with their defaults
};

// Each turns the words given for a flag into the option's value.
Result<void> SetOption(bool& option, const FlagText& flag, std::span<const std::string> words);
Result<void> SetOption(std::optional<std::int64_t>& option, const FlagText& flag,
                       std::span<const std::string> words);
Result<void> SetOption(std::optional<double>& option, const FlagText& flag,
                       std::span<const std::string> words);
Result<void> SetOption(std::string& option, const FlagText& flag,
                       std::span<const std::string> words);
Result<void> SetOption(std::optional<WrittenDuration>& option, const FlagText& flag,
                       std::span<const std::string> words);
Result<void> SetOption(std::vector<std::int64_t>& option, const FlagText& flag,
                       std::span<const std::string> words);
Result<void> SetOption(std::vector<std::string>& option, const FlagText& flag,
                       std::span<const std::string> words);

template <typename Options>
std::vector<BoundFlag> BindFlags(std::span<const Flag<Options>> flags,
                                 const std::shared_ptr<Options>& options) {
  std::vector<BoundFlag> bound;
  for (const Flag<Options>& flag : flags) {
    bound.push_back(
        {flag.text, [&flag, options](std::span<const std::string> words) {
           return std::visit(
               [&](auto member) { return SetOption((*options).*member, flag.text, words); },
               flag.member);
         }});
  }
  return bound;
}

// `flags` must live as long as the program does.
template <typename Options>
Command MakeCommand(const CommandText& text, std::span<const Flag<Options>> flags,
                    Result<Outcome> (*run)(const Options&, Session&)) {
  return {text, [flags, run] {
            auto options = std::make_shared<Options>();
            return Invocation{BindFlags(flags, options),
                              [options, run](Session& session) { return run(*options, session); }};
          }};
}

// What to say to somebody who gave no program.
std::unexpected<Error> ProgramMissing(std::string_view command);

// The name to speak of a flag by: the long one.
std::string_view LongName(const FlagText& flag);

// Whether it may be given several times.
bool Repeats(const FlagText& flag);

}  // namespace tare::cli
