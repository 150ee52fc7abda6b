// json_writer.h: the words of JSON, appended one after another.
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

  // A string in quotes. Bytes that are not UTF-8 become the text \xNN; characters that act on a
  // terminal are escaped, so that the file can be looked at there.
  void Text(std::string_view text);

  // The shortest digits that read back as the same double; null for what is not finite.
  void Real(double value);

  // `"name": `, after a comma and a blank unless the object has just been opened.
  void Key(std::string_view name) {
    if (!out_.ends_with('{')) Raw(", ");
    Raw("\"");
    Raw(name);
    Raw("\": ");
  }
  void Whole(std::uint64_t value) { Raw(std::to_string(value)); }
  void WholeField(std::string_view name, std::uint64_t value) {
    Key(name);
    Whole(value);
  }
  void TextField(std::string_view name, std::string_view text) {
    Key(name);
    Text(text);
  }
  void NewLine(std::size_t indent) {
    out_ += '\n';
    out_.append(indent, ' ');
  }
  // `,` and a new line, then the name.
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
  // One item to a line.
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
