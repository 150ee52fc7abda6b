// near_candidate.cc: compares names by edit distance and positions by their numbers.
#include "compiler/wrapper/near_candidate.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include "base/near_match.h"
#include "base/printable.h"

namespace tare::wrapper {
namespace {

using format::Candidate;
using format::CandidateKind;
using format::MetricEvent;
using format::NameMatch;
using format::PlannedMetric;

bool Fits(MetricEvent event, CandidateKind kind) {
  switch (kind) {
    case CandidateKind::kFunction:
    case CandidateKind::kLibrary:
      return event == MetricEvent::kCall;
    case CandidateKind::kVirtual:
      return event == MetricEvent::kVirtual;
    case CandidateKind::kVariable:
    case CandidateKind::kMember:
      return event == MetricEvent::kUpdate;
    case CandidateKind::kLine:
      return event == MetricEvent::kLine;
    case CandidateKind::kLoop:
      return event == MetricEvent::kLoop;
    case CandidateKind::kBlock:
      return event == MetricEvent::kBlock;
  }
  return false;
}

struct NumberedPlace {
  std::string_view where;  // file without directories, or function
  std::int64_t number = 0;
};

std::optional<NumberedPlace> PlaceIn(std::string_view name) {
  const std::size_t colon = name.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  NumberedPlace place{.where = name.substr(0, colon), .number = 0};
  const std::string_view digits = name.substr(colon + 1);
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), place.number);
  if (read.ec != std::errc() || digits.empty()) return std::nullopt;
  place.where.remove_prefix(place.where.rfind('/') + 1);
  return place;
}

std::string NearPlace(std::string_view wanted, std::span<const std::string_view> names) {
  const auto place = PlaceIn(wanted);
  if (!place) return "";
  std::string_view best;
  std::int64_t least = 0;
  for (const std::string_view name : names) {
    const auto other = PlaceIn(name);
    if (!other || other->where != place->where) continue;
    const std::int64_t distance = std::abs(other->number - place->number);
    if (!best.empty() && distance >= least) continue;
    best = name;
    least = distance;
  }
  if (best.empty()) return "";
  return fmt::format("; the nearest is {}", Printable(best));
}

// Suggests names from the scope of a qualified name: a near match, or the first ones. Empty if the
// scope is unknown.
std::string NearInScope(std::string_view wanted, std::span<const std::string_view> names) {
  constexpr std::size_t kShown = 6;
  const std::size_t colons = wanted.rfind("::");
  if (colons == std::string_view::npos) return "";
  const std::string_view scope = wanted.substr(0, colons + 2);
  std::vector<std::string_view> inside;
  for (const std::string_view name : names) {
    if (!name.starts_with(scope)) continue;
    const std::string_view last = name.substr(scope.size());
    if (!last.contains("::") && std::ranges::find(inside, last) == inside.end()) {
      inside.push_back(last);
    }
  }
  if (inside.empty()) return "";
  const std::string_view near = NearMatch(wanted.substr(scope.size()), inside);
  if (!near.empty()) return fmt::format("; did you mean {}{}?", Printable(scope), Printable(near));
  std::string list;
  for (std::size_t i = 0; i < std::min(inside.size(), kShown); ++i) {
    list += fmt::format("{}{}", i == 0 ? "" : ", ", Printable(inside[i]));
  }
  return fmt::format(
      "; {} has {}{}", Printable(wanted.substr(0, colons)), list,
      inside.size() > kShown ? fmt::format(" and {} more", inside.size() - kShown) : "");
}

}  // namespace

std::string_view KeyOf(MetricEvent event) {
  switch (event) {
    case MetricEvent::kCall:
      return "call";
    case MetricEvent::kVirtual:
      return "virtual";
    case MetricEvent::kUpdate:
      return "update";
    case MetricEvent::kLine:
      return "line";
    case MetricEvent::kLoop:
      return "loop";
    case MetricEvent::kBlock:
      return "block";
  }
  return "";
}

std::string_view KeyOf(CandidateKind kind) {
  switch (kind) {
    case CandidateKind::kFunction:
    case CandidateKind::kLibrary:
      return "call";
    case CandidateKind::kVirtual:
      return "virtual";
    case CandidateKind::kVariable:
    case CandidateKind::kMember:
      return "update";
    case CandidateKind::kLine:
      return "line";
    case CandidateKind::kLoop:
      return "loop";
    case CandidateKind::kBlock:
      return "block";
  }
  return "";
}

std::string NearCandidate(const PlannedMetric& metric, std::span<const Candidate> candidates) {
  if (metric.match != NameMatch::kExact) return "";
  std::vector<std::string_view> names;
  for (const Candidate& candidate : candidates) {
    if (Fits(metric.event, candidate.kind)) names.emplace_back(candidate.name);
  }
  if (metric.event == MetricEvent::kLine || metric.event == MetricEvent::kLoop ||
      metric.event == MetricEvent::kBlock) {
    return NearPlace(metric.what, names);
  }
  for (const Candidate& candidate : candidates) {
    if (!Fits(metric.event, candidate.kind) || candidate.name != metric.what) continue;
    if (!candidate.file.empty()) return fmt::format("; it is in {}", Printable(candidate.file));
  }
  const std::string near = NearInScope(metric.what, names);
  return near.empty() ? DidYouMean(metric.what, names) : near;
}

}  // namespace tare::wrapper
