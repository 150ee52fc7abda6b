// shell_words.h: quotes words for a POSIX shell.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tare {

// The word as it is if no shell would change it, otherwise between single quotes.
std::string ShellQuoted(std::string_view word);

// The words, each quoted where needed, with blanks between them.
std::string ShellLine(std::span<const std::string> words);

}  // namespace tare
