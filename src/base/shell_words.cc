// shell_words.cc: everything between single quotes is literal (POSIX, Shell Command
// Language, 2.2.2).
#include "base/shell_words.h"

#include <algorithm>

namespace tare {
namespace {

std::string InQuotes(std::string_view word) {
  std::string text = "'";
  for (const char letter : word) {
    if (letter == '\'') {
      text += "'\\''";
    } else {
      text += letter;
    }
  }
  return text + "'";
}

}  // namespace

std::string ShellQuoted(std::string_view word) {
  const auto plain = [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || std::string_view("-_=./,:+@%").contains(letter);
  };
  if (!word.empty() && std::ranges::all_of(word, plain)) return std::string(word);
  return InQuotes(word);
}

std::string ShellLine(std::span<const std::string> words) {
  std::string line;
  for (const std::string& word : words) {
    // A first word like A=b would set a variable.
    const bool assigns = line.empty() && word.contains('=');
    if (!line.empty()) line += ' ';
    line += assigns ? InQuotes(word) : ShellQuoted(word);
  }
  return line;
}

}  // namespace tare
