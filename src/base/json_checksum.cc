// json_checksum.cc: SHA-256 of a JSON text without the blanks between its tokens.
#include "base/json_checksum.h"

#include "base/check.h"
#include "base/sha256.h"

namespace tare {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kField = "\"checksum\":\"sha256:";
constexpr std::size_t kDigits = 64;

std::string WithoutBlanks(std::string_view json) {
  std::string tokens;
  tokens.reserve(json.size());
  bool quoted = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (!quoted && kBlanks.contains(c)) continue;
    tokens += c;
    if (quoted && c == '\\' && i + 1 < json.size()) {
      tokens += json[++i];
    } else if (c == '"') {
      quoted = !quoted;
    }
  }
  return tokens;
}

}  // namespace

std::string WithChecksum(std::string_view json) {
  const std::size_t brace = json.find_last_not_of(kBlanks);
  CHECK(brace != std::string_view::npos && json[brace] == '}');
  const std::string_view fields = json.substr(0, json.find_last_not_of(kBlanks, brace - 1) + 1);
  std::string text(fields);
  text += "\n  , \"checksum\": \"sha256:";
  text += Sha256Of(WithoutBlanks(fields));
  text += "\"\n}\n";
  return text;
}

bool ChecksumDiffers(std::string_view json) {
  const std::string tokens = WithoutBlanks(json);
  const std::string_view text(tokens);
  constexpr std::size_t kTail = 1 + kField.size() + kDigits + 2;  // comma, field, quote and brace
  if (text.size() < kTail) return true;
  const std::string_view fields = text.substr(0, text.size() - kTail);
  const std::string_view tail = text.substr(fields.size());
  return tail.substr(1, kField.size()) != kField ||
         tail.substr(1 + kField.size(), kDigits) != Sha256Of(fields);
}

}  // namespace tare
