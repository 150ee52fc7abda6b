// listing.cc: formats the choices as text.
#include "compiler/wrapper/listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/printable.h"
#include "compiler/wrapper/near_choice.h"

namespace tare::wrapper {
namespace {

using format::Choice;
using format::ChoiceKind;

constexpr std::size_t kWidest = 60;

std::string_view HeadingOf(ChoiceKind kind) {
  switch (kind) {
    case ChoiceKind::kFunction:
      return "functions defined here";
    case ChoiceKind::kLibrary:
      return "functions called here and defined elsewhere";
    case ChoiceKind::kVirtual:
      return "virtual functions called here";
    case ChoiceKind::kVariable:
      return "variables";
    case ChoiceKind::kMember:
      return "members";
    case ChoiceKind::kLine:
      return "lines with code: those between have some or none";
    case ChoiceKind::kLoop:
      return "loops";
    case ChoiceKind::kBlock:
      return "basic blocks, the first and the last of each function";
  }
  return "";
}

std::string Quoted(std::string_view name) {
  std::string text = "\"";
  for (const char letter : Printable(name)) {
    if (letter == '"' || letter == '\\') text += '\\';
    text += letter;
  }
  return text + '"';
}

std::string PlaceOf(const Choice& choice) {
  if (choice.file.empty()) return "";
  if (choice.line == 0) return Printable(choice.file);
  return fmt::format("{}:{}", Printable(choice.file), choice.line);
}

struct ListedLine {
  std::string choice;
  std::string remark;
};

ListedLine LineOf(const Choice& choice) {
  ListedLine line{.choice = fmt::format("{} = {}", KeyOf(choice.kind), Quoted(choice.name)),
                  .remark = ""};
  const bool is_place = choice.kind == ChoiceKind::kLine || choice.kind == ChoiceKind::kLoop;
  if (!is_place) line.remark = PlaceOf(choice);
  if (!choice.detail.empty()) {
    line.remark += fmt::format("{}{}", line.remark.empty() ? "" : ", ", Printable(choice.detail));
  }
  return line;
}

std::string_view BeforeColon(std::string_view name) { return name.substr(0, name.rfind(':')); }

// Keeps the first and the last block of each function, and the first and the last line of each
// file.
std::vector<Choice> Folded(std::span<const Choice> choices) {
  std::vector<Choice> shown;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const auto same = [&](std::size_t other) {
      return other < choices.size() &&
             BeforeColon(choices[other].name) == BeforeColon(choices[i].name);
    };
    if (i > 0 && same(i - 1) && same(i + 1)) continue;
    shown.push_back(choices[i]);
  }
  return shown;
}

std::string Section(ChoiceKind kind, std::span<const Choice> choices) {
  std::vector<ListedLine> lines;
  std::size_t width = 0;
  for (const Choice& choice : choices) {
    lines.push_back(LineOf(choice));
    const std::size_t own = DisplayWidth(lines.back().choice);
    if (own <= kWidest) width = std::max(width, own);
  }
  std::string text = fmt::format("# {} ({})\n", HeadingOf(kind), choices.size());
  for (const ListedLine& line : lines) {
    text += line.choice;
    if (!line.remark.empty()) {
      const std::size_t own = DisplayWidth(line.choice);
      text.append(own < width ? width - own : 0, ' ');
      text += "  # " + line.remark;
    }
    text += '\n';
  }
  return text;
}

}  // namespace

std::string ListingOf(std::span<const Choice> choices) {
  std::string text;
  while (!choices.empty()) {
    const ChoiceKind kind = choices.front().kind;
    const auto end =
        std::ranges::find_if(choices, [kind](const Choice& choice) { return choice.kind != kind; });
    const std::span<const Choice> same(choices.begin(), end);
    if (!text.empty()) text += '\n';
    if (kind == ChoiceKind::kLine) {
      text += Section(kind, Folded(same));
    } else if (kind == ChoiceKind::kBlock) {
      std::vector<Choice> blocks(same.begin(), same.end());
      // The blocks of a function are listed in the order of their numbers, not of their lines.
      std::ranges::sort(blocks, {}, [](const Choice& choice) {
        const std::string_view before = BeforeColon(choice.name);
        return std::tuple(std::string_view(choice.file), before, choice.name.size(),
                          std::string_view(choice.name));
      });
      text += Section(kind, Folded(blocks));
    } else {
      text += Section(kind, same);
    }
    choices = std::span<const Choice>(end, choices.end());
  }
  return text;
}

}  // namespace tare::wrapper
