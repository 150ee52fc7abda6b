// command.h: a command: a name, flags bound to a struct of options, and a function that returns a
// Document.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <map>
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
#include "base/stop.h"
#include "base/units.h"
#include "report/document.h"

namespace tare::cli {

// One row for help, manual page, completion and parser. `names` is "--every" or "-q,--quiet". A
// switch has no `value`; the value "M N" takes two words; a value "CHANGE..." may be given several
// times; a value "[LIST]" may be left out, and is then kWithoutValue.
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

// What a command's run function gets from its caller.
struct Session {
  Progress progress;
  std::vector<std::string> program = {};   // words after "--"
  std::vector<std::string> operands = {};  // words that belong to no flag
  bool machine_readable = false;           // the document is for more than text: add every block
  bool saves = false;                      // the document is also saved: see Outcome::saved
  bool verbose = false;                    // text for people shows everything
  std::string only_block = {};             // id of the only block that will be shown; empty: all
  bool discards_output = false;            // standard output is for the document alone
  StopAsked interrupted = [] { return false; };
  // Shows a sentence to the user during the run.
  std::function<void(std::string_view)> notice = [](std::string_view) {};
};

// The result of a command. `exit_status` is that of the measured program, if there is one.
struct Outcome {
  report::Document document;
  // The document with every block, where `document` has only those for text; for --save.
  std::optional<report::Document> saved = {};
  int exit_status = 0;
  // The program used standard output: text for people goes to standard error.
  bool beside_program = false;
  // Ids of blocks that text for people leaves out; JSON and saved results have them.
  std::vector<std::string> not_in_text = {};
  // Ids of blocks that text for people shows with --verbose only.
  std::vector<std::string> details = {};
  // Text for people has neither a title nor a closing line, because a shell reads it.
  bool only_blocks = false;
  // Blocks were asked for: text for people leaves out rows at most, to fit on two screens.
  bool keep_blocks = false;
  // Sources that counted on this machine ("hardware", "kernel", an engine). The numbers of events
  // that failed their self-test under one of them become doubtful.
  std::vector<std::string> sources = {};
  // By block ID, the sources of blocks that differ from `sources`; none: the block is not marked.
  std::map<std::string, std::vector<std::string>> sources_of_block = {};
  // Events of `sources` that all numbers of the document derive from.
  std::vector<std::string> needed_events = {};
};

// Makes the outcome of a command whose text needs only a part of the document: make(all) returns a
// Result<Outcome>, or a Result<report::Document> for an outcome that has nothing else.
Result<Outcome> MakeOutcome(const Session& session, auto make) {
  const auto part = [&](bool all) -> Result<Outcome> {
    if constexpr (std::same_as<decltype(make(all)), Result<report::Document>>) {
      Outcome outcome;
      TRY(outcome.document, make(all));
      return outcome;
    } else {
      return make(all);
    }
  };
  TRY(Outcome outcome, part(session.machine_readable));
  if (!session.saves || session.machine_readable) return outcome;
  TRY(Outcome whole, part(true));
  outcome.saved = std::move(whole.document);
  return outcome;
}

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

// Operands, such as the files to read.
struct Operands {
  std::string_view names = {};  // "BINARY [BINARY]"
  std::size_t min = 0;
  std::size_t max = 0;
};

// Commands that share their first word, which alone is not a command.
struct CommandGroup {
  std::string_view name;
  std::string_view summary;      // one line, no full stop
  std::string_view description;  // paragraphs
};

struct CommandText {
  std::string_view name;         // "timer", or "machine show" for a command of a group
  std::string_view summary;      // one line, no full stop
  std::string_view description;  // paragraphs
  std::span<const Example> examples;
  bool takes_program = false;  // "-- PROGRAM [ARGUMENT...]" follows the options
  Operands operands = {};
  bool may_lack_program = false;  // some options need no program: the command itself checks
  // What may follow "tare NAME [options]", a line each, where operands and a program exclude each
  // other. Empty: the operands, then the program.
  std::span<const std::string_view> forms = {};
};

struct Command {
  CommandText text;
  std::function<Invocation()> bind;  // new options with their defaults
};

// Each converts the words of a flag to the option's value.
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

// `flags` must live as long as the process.
template <typename Options>
Command MakeCommand(const CommandText& text, std::span<const Flag<Options>> flags,
                    Result<Outcome> (*run)(const Options&, Session&)) {
  return {text, [flags, run] {
            auto options = std::make_shared<Options>();
            return Invocation{BindFlags(flags, options),
                              [options, run](Session& session) { return run(*options, session); }};
          }};
}

// The error for a missing program.
std::unexpected<Error> ProgramMissing(std::string_view command);

// The long name of a flag, for messages.
std::string_view LongName(const FlagText& flag);

// Whether the flag may be given several times.
bool Repeats(const FlagText& flag);

// Whether the flag may be given without its value.
bool MayLackValue(const FlagText& flag);
inline constexpr std::string_view kWithoutValue = "default";

}  // namespace tare::cli
