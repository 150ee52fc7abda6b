// json_writer.h: appends JSON tokens to a string.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace tare {

class JsonWriter {
 public:
  void Raw(std::string_view text) { out_ += text; }

  // Writes a quoted string. Bytes that are not UTF-8 become the text \xNN. Control characters are
  // escaped, so that the file is safe to show on a terminal.
  void Text(std::string_view text);

  // Writes the shortest decimal number that reads back as the same double; null if `value` is not
  // finite.
  void Real(double value);

  // Writes `"name": `, preceded by a comma and a blank unless the object has just been opened.
  void Key(std::string_view name) {
    if (!out_.ends_with('{')) Raw(", ");
    Raw("\"");
    Raw(name);
    Raw("\": ");
  }
  void Truth(bool value) { Raw(value ? "true" : "false"); }
  void Whole(std::uint64_t value) { Raw(std::to_string(value)); }
  void WholeField(std::string_view name, std::uint64_t value) {
    Key(name);
    Whole(value);
  }
  void TextField(std::string_view name, std::string_view text) {
    Key(name);
    Text(text);
  }
  void TruthField(std::string_view name, bool value) {
    Key(name);
    Truth(value);
  }
  void NewLine(std::size_t indent) {
    out_ += '\n';
    out_.append(indent, ' ');
  }
  // Writes a comma, a new line and `"name": `.
  void LineKey(std::size_t indent, std::string_view name) {
    out_ += ',';
    NewLine(indent);
    Raw("\"");
    Raw(name);
    Raw("\": ");
  }

  void Inline(const auto& items, auto write) {
    Raw("[");
    for (bool first = true; const auto& item : items) {
      if (!first) Raw(", ");
      first = false;
      write(item);
    }
    Raw("]");
  }
  // Writes one item per line.
  void Lines(const auto& items, std::size_t indent, auto write) {
    Raw("[");
    for (bool first = true; const auto& item : items) {
      if (!first) Raw(",");
      first = false;
      NewLine(indent + 2);
      write(item);
    }
    if (!items.empty()) NewLine(indent);
    Raw("]");
  }

  std::string Take() { return std::move(out_); }

 private:
  std::string out_;
};

}  // namespace tare
