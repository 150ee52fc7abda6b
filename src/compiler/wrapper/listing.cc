// listing.cc: formats the candidates as text.
#include "compiler/wrapper/listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/printable.h"
#include "compiler/wrapper/near_candidate.h"

namespace tare::wrapper {
namespace {

using format::Candidate;
using format::CandidateKind;

constexpr std::size_t kWidest = 60;

std::string_view HeadingOf(CandidateKind kind) {
  switch (kind) {
    case CandidateKind::kFunction:
      return "functions defined here";
    case CandidateKind::kLibrary:
      return "functions called here and defined elsewhere";
    case CandidateKind::kVirtual:
      return "virtual functions called here";
    case CandidateKind::kVariable:
      return "variables";
    case CandidateKind::kMember:
      return "members";
    case CandidateKind::kLine:
      return "lines with code, the first and the last of each file";
    case CandidateKind::kLoop:
      return "loops";
    case CandidateKind::kBlock:
      return "basic blocks, the first and the last of each function";
  }
  return "";
}

std::string TomlQuoted(std::string_view name) {
  std::string text = "\"";
  for (const char letter : Printable(name)) {
    if (letter == '"' || letter == '\\') text += '\\';
    text += letter;
  }
  return text + '"';
}

std::string PlaceOf(const Candidate& candidate) {
  if (candidate.file.empty()) return "";
  if (candidate.line == 0) return Printable(candidate.file);
  return fmt::format("{}:{}", Printable(candidate.file), candidate.line);
}

struct ListedLine {
  std::string candidate;
  std::string remark;
};

ListedLine LineOf(const Candidate& candidate) {
  ListedLine line{
      .candidate = fmt::format("{} = {}", KeyOf(candidate.kind), TomlQuoted(candidate.name)),
      .remark = ""};
  const bool is_place =
      candidate.kind == CandidateKind::kLine || candidate.kind == CandidateKind::kLoop;
  if (!is_place) line.remark = PlaceOf(candidate);
  if (!candidate.detail.empty()) {
    line.remark +=
        fmt::format("{}{}", line.remark.empty() ? "" : ", ", Printable(candidate.detail));
  }
  return line;
}

std::string_view BeforeColon(std::string_view name) { return name.substr(0, name.rfind(':')); }

// Keeps the first and the last block of each function, and the first and the last line of each
// file.
std::vector<Candidate> Folded(std::span<const Candidate> candidates) {
  std::vector<Candidate> shown;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const auto same = [&](std::size_t other) {
      return other < candidates.size() &&
             BeforeColon(candidates[other].name) == BeforeColon(candidates[i].name);
    };
    if (i > 0 && same(i - 1) && same(i + 1)) continue;
    shown.push_back(candidates[i]);
  }
  return shown;
}

std::string Section(CandidateKind kind, std::span<const Candidate> candidates) {
  std::vector<ListedLine> lines;
  std::size_t width = 0;
  for (const Candidate& candidate : candidates) {
    lines.push_back(LineOf(candidate));
    const std::size_t own = DisplayWidth(lines.back().candidate);
    if (own <= kWidest) width = std::max(width, own);
  }
  std::string text = fmt::format("# {} ({})\n", HeadingOf(kind), candidates.size());
  for (const ListedLine& line : lines) {
    text += line.candidate;
    if (!line.remark.empty()) {
      const std::size_t own = DisplayWidth(line.candidate);
      text.append(own < width ? width - own : 0, ' ');
      text += "  # " + line.remark;
    }
    text += '\n';
  }
  return text;
}

}  // namespace

std::string ListingOf(std::span<const Candidate> candidates) {
  std::string text;
  while (!candidates.empty()) {
    const CandidateKind kind = candidates.front().kind;
    const auto end = std::ranges::find_if(
        candidates, [kind](const Candidate& candidate) { return candidate.kind != kind; });
    const std::span<const Candidate> same(candidates.begin(), end);
    if (!text.empty()) text += '\n';
    if (kind == CandidateKind::kLine) {
      text += Section(kind, Folded(same));
    } else if (kind == CandidateKind::kBlock) {
      std::vector<Candidate> blocks(same.begin(), same.end());
      // The blocks of a function are listed in the order of their numbers, not of their lines.
      std::ranges::sort(blocks, {}, [](const Candidate& candidate) {
        const std::string_view before = BeforeColon(candidate.name);
        return std::tuple(std::string_view(candidate.file), before, candidate.name.size(),
                          std::string_view(candidate.name));
      });
      text += Section(kind, Folded(blocks));
    } else {
      text += Section(kind, same);
    }
    candidates = std::span<const Candidate>(end, candidates.end());
  }
  return text;
}

}  // namespace tare::wrapper
