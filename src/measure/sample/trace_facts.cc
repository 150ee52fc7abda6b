// trace_facts.cc: converts facts to text and back.
#include "measure/sample/trace_facts.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

namespace tare::sample {
namespace {

using format::SeriesFact;

constexpr std::string_view kHistogram = "histogram ";
constexpr std::string_view kAbsent = "absent ";

template <typename T>
std::optional<T> Number(std::string_view text) {
  T number{};
  const char* end = text.data() + text.size();
  const auto [after, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || after != end) return std::nullopt;
  return number;
}

template <typename T>
void Add(std::vector<SeriesFact>& facts, std::string_view name, const std::optional<T>& value) {
  if (value) facts.push_back({std::string(name), fmt::format("{}", *value)});
}

void Add(std::vector<SeriesFact>& facts, std::string_view name, std::uint64_t value) {
  if (value != 0) facts.push_back({std::string(name), fmt::format("{}", value)});
}

void Add(std::vector<SeriesFact>& facts, std::string_view name, bool value) {
  if (value) facts.push_back({std::string(name), "yes"});
}

// "3:17 8:1": bucket and count of each non-empty bucket.
std::string TextOf(const Histogram& histogram) {
  std::string text;
  for (std::size_t bucket = 0; bucket < histogram.size(); ++bucket) {
    if (histogram[bucket] == 0) continue;
    text += fmt::format("{}{}:{}", text.empty() ? "" : " ", bucket, histogram[bucket]);
  }
  return text;
}

Histogram HistogramOf(std::string_view text) {
  Histogram histogram(kHistogramBuckets);
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    const std::size_t colon = word.find(':');
    if (colon == std::string_view::npos) continue;
    const auto bucket = Number<std::size_t>(word.substr(0, colon));
    const auto count = Number<std::uint64_t>(word.substr(colon + 1));
    if (bucket && count && *bucket < kHistogramBuckets) histogram[*bucket] = *count;
  }
  return histogram;
}

}  // namespace

std::vector<SeriesFact> ToFacts(const StartFacts& facts) {
  std::vector<SeriesFact> texts = {{"program", facts.program}, {"sampler", facts.sampler}};
  if (!facts.machine.empty()) texts.push_back({"machine", facts.machine});
  Add(texts, "children", facts.children);
  Add(texts, "automatic interval", facts.automatic);
  return texts;
}

StartFacts StartFactsOf(std::span<const SeriesFact> facts) {
  StartFacts start;
  for (const SeriesFact& fact : facts) {
    if (fact.name == "program") start.program = fact.value;
    if (fact.name == "sampler") start.sampler = fact.value;
    if (fact.name == "machine") start.machine = fact.value;
    if (fact.name == "children") start.children = fact.value == "yes";
    if (fact.name == "automatic interval") start.automatic = fact.value == "yes";
  }
  return start;
}

std::vector<SeriesFact> ToFacts(const EndFacts& facts) {
  std::vector<SeriesFact> texts;
  Add(texts, "exit status", facts.exit_status);
  Add(texts, "signal", facts.signal);
  Add(texts, "timed out", facts.timed_out);
  Add(texts, "interrupted", facts.interrupted);
  Add(texts, "wall ns", facts.wall_ns);
  Add(texts, "program cpu ns", facts.program_cpu_ns);
  Add(texts, "observer cpu ns", facts.observer_cpu_ns);
  Add(texts, "handler ns", facts.handler_ns);
  Add(texts, "reading ns", facts.reading_ns);
  Add(texts, "records taken", facts.taken);
  Add(texts, "lost samples", facts.lost_samples);
  Add(texts, "lost threads", facts.lost_threads);
  Add(texts, "lost children", facts.lost_children);
  Add(texts, "lost function calls", facts.lost_function_calls);
  for (const auto& [name, histogram] : facts.histograms) {
    texts.push_back({std::string(kHistogram) + name, TextOf(histogram)});
  }
  for (const format::AbsentChannel& absent : facts.absent) {
    texts.push_back({fmt::format("{}{}\t{}", kAbsent, absent.group, absent.name), absent.reason});
  }
  return texts;
}

EndFacts EndFactsOf(std::span<const SeriesFact> facts) {
  EndFacts end;
  const auto number = [](const SeriesFact& fact) { return Number<std::uint64_t>(fact.value); };
  for (const SeriesFact& fact : facts) {
    const std::string_view name = fact.name;
    if (name == "exit status") end.exit_status = Number<int>(fact.value);
    if (name == "signal") end.signal = Number<int>(fact.value);
    if (name == "timed out") end.timed_out = fact.value == "yes";
    if (name == "interrupted") end.interrupted = fact.value == "yes";
    if (name == "wall ns") end.wall_ns = number(fact);
    if (name == "program cpu ns") end.program_cpu_ns = number(fact);
    if (name == "observer cpu ns") end.observer_cpu_ns = number(fact);
    if (name == "handler ns") end.handler_ns = number(fact);
    if (name == "reading ns") end.reading_ns = number(fact);
    if (name == "records taken") end.taken = number(fact).value_or(0);
    if (name == "lost samples") end.lost_samples = number(fact).value_or(0);
    if (name == "lost threads") end.lost_threads = number(fact).value_or(0);
    if (name == "lost children") end.lost_children = number(fact).value_or(0);
    if (name == "lost function calls") end.lost_function_calls = number(fact).value_or(0);
    if (name.starts_with(kHistogram)) {
      end.histograms[std::string(name.substr(kHistogram.size()))] = HistogramOf(fact.value);
    }
    const std::size_t tab = name.find('\t');
    if (name.starts_with(kAbsent) && tab != std::string_view::npos) {
      end.absent.push_back({std::string(name.substr(tab + 1)),
                            std::string(name.substr(kAbsent.size(), tab - kAbsent.size())),
                            fact.value});
    }
  }
  return end;
}

}  // namespace tare::sample
