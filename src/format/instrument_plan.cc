// instrument_plan.cc: writes and parses the lines of a plan and of its candidates.
#include "format/instrument_plan.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>

namespace tare::format {
namespace {

constexpr std::string_view kFirstLine = "tare-plan\t1";

constexpr std::array<std::string_view, 6> kEvents = {"call", "virtual", "update",
                                                     "line", "loop",    "block"};
constexpr std::array<std::string_view, 3> kMatches = {"exact", "glob", "regex"};
constexpr std::array<std::string_view, 3> kStrips = {"nothing", "to-lines", "all"};
constexpr std::array<std::string_view, 8> kCandidates = {
    "function", "library", "virtual", "variable", "member", "line", "loop", "block"};

template <typename Enum, std::size_t kCount>
std::string_view NameOf(const std::array<std::string_view, kCount>& names, Enum value) {
  return names[static_cast<std::size_t>(value)];
}

template <typename Enum, std::size_t kCount>
std::optional<Enum> Named(const std::array<std::string_view, kCount>& names,
                          std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Enum>(found - names.begin());
}

std::string Escaped(std::string_view field) {
  std::string text;
  for (const char letter : field) {
    if (letter == '\\') {
      text += "\\\\";
    } else if (letter == '\t') {
      text += "\\t";
    } else if (letter == '\n') {
      text += "\\n";
    } else {
      text += letter;
    }
  }
  return text;
}

std::optional<std::string> Unescaped(std::string_view field) {
  std::string text;
  for (std::size_t at = 0; at < field.size(); ++at) {
    if (field[at] != '\\') {
      text += field[at];
      continue;
    }
    if (++at == field.size()) return std::nullopt;
    if (field[at] == '\\') {
      text += '\\';
    } else if (field[at] == 't') {
      text += '\t';
    } else if (field[at] == 'n') {
      text += '\n';
    } else {
      return std::nullopt;
    }
  }
  return text;
}

using Fields = std::vector<std::string>;

std::string Line(const Fields& fields) {
  std::string line;
  for (const std::string& field : fields) {
    if (!line.empty()) line += '\t';
    line += Escaped(field);
  }
  return line + '\n';
}

std::optional<Fields> FieldsOf(std::string_view line) {
  Fields fields;
  for (;;) {
    const std::size_t tab = line.find('\t');
    auto field = Unescaped(line.substr(0, tab));
    if (!field) return std::nullopt;
    fields.push_back(std::move(*field));
    if (tab == std::string_view::npos) return fields;
    line.remove_prefix(tab + 1);
  }
}

template <typename Number>
std::optional<Number> NumberOf(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string KindsOf(const ValueOf& value) {
  std::string kinds;
  if (value.sum) kinds += 's';
  if (value.minimum) kinds += 'l';
  if (value.maximum) kinds += 'g';
  if (value.histogram) kinds += 'h';
  return kinds;
}

std::string MetricLine(const PlannedMetric& metric) {
  Fields fields = {"metric",
                   metric.name,
                   std::string(NameOf(kEvents, metric.event)),
                   std::string(NameOf(kMatches, metric.match)),
                   metric.what,
                   metric.file};
  if (metric.value) {
    fields.push_back(std::to_string(metric.value->argument));
    fields.emplace_back(metric.value->is_signed ? "signed" : "unsigned");
    fields.push_back(KindsOf(*metric.value));
  }
  return Line(fields);
}

std::optional<PlannedMetric> MetricOf(const Fields& fields) {
  if (fields.size() != 6 && fields.size() != 9) return std::nullopt;
  const auto event = Named<MetricEvent>(kEvents, fields[2]);
  const auto match = Named<NameMatch>(kMatches, fields[3]);
  if (!event || !match) return std::nullopt;
  PlannedMetric metric;
  metric.name = fields[1];
  metric.event = *event;
  metric.match = *match;
  metric.what = fields[4];
  metric.file = fields[5];
  if (fields.size() == 6) return metric;
  const auto argument = NumberOf<int>(fields[6]);
  if (!argument || (fields[7] != "signed" && fields[7] != "unsigned")) return std::nullopt;
  ValueOf value;
  value.argument = *argument;
  value.is_signed = fields[7] == "signed";
  value.sum = fields[8].contains('s');
  value.minimum = fields[8].contains('l');
  value.maximum = fields[8].contains('g');
  value.histogram = fields[8].contains('h');
  if (KindsOf(value) != fields[8]) return std::nullopt;
  metric.value = value;
  return metric;
}

void AddList(std::string& text, std::string name, const std::vector<std::string>& words) {
  if (words.empty()) return;
  Fields fields = {std::move(name)};
  fields.insert(fields.end(), words.begin(), words.end());
  text += Line(fields);
}

void AddFunctions(std::string& text, const FunctionSelection& functions) {
  text += Line({"functions", std::to_string(functions.min_instructions),
                functions.skip_inline ? "skip-inline" : "with-inline"});
  AddList(text, "function-names", functions.names);
  AddList(text, "function-not-names", functions.not_names);
  AddList(text, "function-files", functions.files);
  AddList(text, "function-not-files", functions.not_files);
  AddList(text, "function-too-often", functions.too_often);
}

std::vector<std::string>* FunctionList(FunctionSelection& functions, std::string_view name) {
  if (name == "function-names") return &functions.names;
  if (name == "function-not-names") return &functions.not_names;
  if (name == "function-files") return &functions.files;
  if (name == "function-not-files") return &functions.not_files;
  if (name == "function-too-often") return &functions.too_often;
  return nullptr;
}

bool ReadFunctions(const Fields& fields, InstrumentPlan& plan) {
  if (fields[0] == "functions") {
    if (fields.size() != 3 || plan.functions) return false;
    const auto min_instructions = NumberOf<std::uint64_t>(fields[1]);
    if (!min_instructions || (fields[2] != "skip-inline" && fields[2] != "with-inline"))
      return false;
    plan.functions.emplace();
    plan.functions->min_instructions = *min_instructions;
    plan.functions->skip_inline = fields[2] == "skip-inline";
    return true;
  }
  if (!plan.functions) return false;
  std::vector<std::string>* list = FunctionList(*plan.functions, fields[0]);
  if (list == nullptr || fields.size() < 2) return false;
  list->assign(fields.begin() + 1, fields.end());
  return true;
}

bool ReadOption(std::string_view option, InstrumentPlan& plan) {
  if (option == "blocks") {
    plan.blocks = true;
  } else if (option == "stream") {
    plan.stream = StreamContent::kAddresses;
  } else if (option == "stream-blocks") {
    plan.stream = StreamContent::kBlocks;
  } else if (option == "no-names") {
    plan.names = false;
  } else if (option == "atomic") {
    plan.atomic = true;
  } else {
    return false;
  }
  return true;
}

bool ReadLine(const Fields& fields, InstrumentPlan& plan) {
  if (fields[0] == "metric") {
    auto metric = MetricOf(fields);
    if (!metric) return false;
    plan.metrics.push_back(std::move(*metric));
    return true;
  }
  if (fields[0].starts_with("function")) return ReadFunctions(fields, plan);
  if (fields.size() != 2) return false;
  if (fields[0] == "option") return ReadOption(fields[1], plan);
  if (fields[0] == "strip-debug") {
    const auto strip = Named<StripDebug>(kStrips, fields[1]);
    if (strip) plan.strip_debug = *strip;
    return strip.has_value();
  }
  if (fields[0] == "placement") {
    const auto number = NumberOf<std::uint64_t>(fields[1]);
    if (number) plan.placement = *number;
    return number.has_value();
  }
  if (fields[0] != "list") return false;
  plan.list = fields[1];
  return true;
}

}  // namespace

std::string PlanText(const InstrumentPlan& plan) {
  std::string text = std::string(kFirstLine) + '\n';
  for (const PlannedMetric& metric : plan.metrics) text += MetricLine(metric);
  if (plan.functions) AddFunctions(text, *plan.functions);
  if (plan.blocks) text += Line({"option", "blocks"});
  if (plan.stream == StreamContent::kAddresses) text += Line({"option", "stream"});
  if (plan.stream == StreamContent::kBlocks) text += Line({"option", "stream-blocks"});
  if (!plan.names) text += Line({"option", "no-names"});
  if (plan.atomic) text += Line({"option", "atomic"});
  if (plan.strip_debug != StripDebug::kNothing) {
    text += Line({"strip-debug", std::string(NameOf(kStrips, plan.strip_debug))});
  }
  if (plan.placement != 0) text += Line({"placement", std::to_string(plan.placement)});
  if (!plan.list.empty()) text += Line({"list", plan.list});
  return text;
}

std::optional<InstrumentPlan> ParsePlanText(std::string_view text) {
  if (!text.starts_with(kFirstLine)) return std::nullopt;
  text.remove_prefix(kFirstLine.size());
  if (!text.starts_with('\n') || !text.ends_with('\n')) return std::nullopt;
  text.remove_prefix(1);
  InstrumentPlan plan;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const auto fields = FieldsOf(text.substr(0, end));
    if (!fields || !ReadLine(*fields, plan)) return std::nullopt;
    text.remove_prefix(end + 1);
  }
  return plan;
}

std::string CandidateLine(const Candidate& candidate) {
  return Line({std::string(NameOf(kCandidates, candidate.kind)), candidate.name, candidate.file,
               std::to_string(candidate.line), candidate.detail});
}

std::optional<Candidate> ParseCandidateLine(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  if (line.contains('\n')) return std::nullopt;
  auto fields = FieldsOf(line);
  if (!fields || fields->size() != 5) return std::nullopt;
  const auto kind = Named<CandidateKind>(kCandidates, (*fields)[0]);
  const auto number = NumberOf<std::uint64_t>((*fields)[3]);
  if (!kind || !number) return std::nullopt;
  return Candidate{.kind = *kind,
                   .name = std::move((*fields)[1]),
                   .file = std::move((*fields)[2]),
                   .line = *number,
                   .detail = std::move((*fields)[4])};
}

}  // namespace tare::format
