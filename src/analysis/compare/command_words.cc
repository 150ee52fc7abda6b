// command_words.cc: quoting rules of POSIX (Shell Command Language, section 2.2) and parameters.
#include "analysis/compare/command_words.h"

#include <fmt/format.h>

#include <optional>

#include "base/printable.h"

namespace tare::compare {
namespace {

bool IsBlank(char letter) { return letter == ' ' || letter == '\t' || letter == '\n'; }

class WordSplitter {
 public:
  WordSplitter(std::string_view text, std::string_view advice) : text_(text), advice_(advice) {}

  Result<std::vector<std::string>> Split() {
    while (at_ < text_.size()) {
      const char letter = text_[at_++];
      if (IsBlank(letter)) {
        EndWord();
      } else if (letter == '\'' || letter == '"') {
        TRY_VOID(Quoted(letter));
      } else if (letter == '\\' && at_ < text_.size()) {
        Add(text_[at_++]);
      } else if (std::string_view("|&;<>`$*").contains(letter)) {
        return Fail(ErrorKind::kUsage, fmt::format("{}: {} needs a shell; {}, or quote it",
                                                   Printable(text_), letter, advice_));
      } else {
        Add(letter);
      }
    }
    EndWord();
    if (words_.empty()) return Fail(ErrorKind::kUsage, "a command is empty");
    return std::move(words_);
  }

 private:
  void Add(char letter) {
    if (!word_) word_.emplace();
    *word_ += letter;
  }

  void EndWord() {
    if (word_) words_.push_back(*std::move(word_));
    word_.reset();
  }

  Result<void> Quoted(char quote) {
    if (!word_) word_.emplace();
    while (at_ < text_.size()) {
      const char letter = text_[at_++];
      if (letter == quote) return {};
      const bool escapes = quote == '"' && letter == '\\' && at_ < text_.size() &&
                           std::string_view("\"\\$`").contains(text_[at_]);
      Add(escapes ? text_[at_++] : letter);
    }
    return Fail(ErrorKind::kUsage,
                fmt::format("{}: a quotation with {} has no end", Printable(text_), quote));
  }

  std::string_view text_;
  std::string_view advice_;
  std::size_t at_ = 0;
  std::optional<std::string> word_;
  std::vector<std::string> words_;
};

}  // namespace

Result<std::vector<std::string>> SplitCommand(std::string_view command, std::string_view advice) {
  return WordSplitter(command, advice).Split();
}

Result<Parameter> ParseParameter(std::string_view name, std::string_view values) {
  Parameter parameter{std::string(name), {}};
  std::size_t from = 0;
  while (from <= values.size()) {
    const std::size_t comma = std::min(values.find(',', from), values.size());
    if (comma > from) parameter.values.emplace_back(values.substr(from, comma - from));
    from = comma + 1;
  }
  if (name.empty() || name.contains('{') || name.contains('}') || parameter.values.empty()) {
    return Fail(ErrorKind::kUsage, fmt::format("--parameter {} {}: expected a name and values "
                                               "separated by commas, such as threads 1,2,4",
                                               Printable(name), Printable(values)));
  }
  return parameter;
}

Result<std::vector<std::string>> WithParameter(const std::vector<std::string>& commands,
                                               const Parameter& parameter) {
  const std::string mark = "{" + parameter.name + "}";
  std::vector<std::string> replaced;
  bool found = false;
  for (const std::string& command : commands) {
    if (!command.contains(mark)) {
      replaced.push_back(command);
      continue;
    }
    found = true;
    for (const std::string& value : parameter.values) {
      std::string text = command;
      for (std::size_t at = text.find(mark); at != std::string::npos;
           at = text.find(mark, at + value.size())) {
        text.replace(at, mark.size(), value);
      }
      replaced.push_back(std::move(text));
    }
  }
  if (found) return replaced;
  return Fail(ErrorKind::kUsage, fmt::format("--parameter {}: no command contains {}",
                                             Printable(parameter.name), Printable(mark)));
}

}  // namespace tare::compare
