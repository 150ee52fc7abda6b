// toml_text.cc: separates strings and comments from other TOML text and escapes non-ASCII letters.
#include "base/toml_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"

namespace tare {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

bool IsAscii(char letter) { return static_cast<unsigned char>(letter) < 0x80; }

// The length in bytes of the string or comment at the start of `text`; 1 if there is neither.
std::size_t PieceLength(std::string_view text) {
  const char quote = text.front();
  if (quote == '#') return std::min(text.find('\n'), text.size());
  if (quote != '"' && quote != '\'') return 1;
  std::size_t at = 1;
  while (at < text.size() && text[at] != quote && text[at] != '\n') {
    at += quote == '"' && text[at] == '\\' ? std::size_t{2} : std::size_t{1};
  }
  if (at < text.size() && text[at] == quote) ++at;
  return std::min(at, text.size());
}

// Returns false if `piece` is not UTF-8.
bool AddEscaped(std::string_view piece, std::string& to) {
  while (!piece.empty()) {
    const CodePoint letter = FirstCodePoint(piece);
    if (letter.length == 0) return false;
    if (letter.length == 1) {
      to += piece.front();
    } else {
      to += fmt::format("\\U{:08x}", static_cast<std::uint32_t>(letter.value));
    }
    piece.remove_prefix(letter.length);
  }
  return true;
}

// Returns what is wrong with the piece, or an empty text.
std::string_view AddPiece(std::string_view piece, std::string& to) {
  if (std::ranges::all_of(piece, IsAscii)) {
    to += piece;
    return "";
  }
  switch (piece.front()) {
    case '#':
      to.append(piece.size(), '#');
      return "";
    case '"':
      return AddEscaped(piece, to) ? "" : "the string is not UTF-8";
    case '\'':
      return "non-ASCII characters need a string in double quotes";
    default:
      return "non-ASCII characters are allowed only in strings and comments";
  }
}

}  // namespace

std::unexpected<Error> FailAt(const std::filesystem::path& path, TomlPlace place,
                              std::string_view message) {
  return Fail(ErrorKind::kFormat, fmt::format("{}:{}:{}: {}", Printable(path.string()), place.line,
                                              place.column, message));
}

Result<std::string> AsciiToml(std::string_view text, const std::filesystem::path& path) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  TomlPlace place;
  std::string ascii;
  while (!text.empty()) {
    if (text.starts_with("\"\"\"") || text.starts_with("'''")) {
      return FailAt(path, place, "multi-line strings are not supported");
    }
    const std::string_view piece = text.substr(0, PieceLength(text));
    const std::string_view mistake = AddPiece(piece, ascii);
    if (!mistake.empty()) return FailAt(path, place, mistake);
    text.remove_prefix(piece.size());
    if (piece.front() == '\n') {
      ++place.line;
      place.column = 1;
    } else {
      place.column += static_cast<std::uint32_t>(piece.size());
    }
  }
  return ascii;
}

}  // namespace tare
