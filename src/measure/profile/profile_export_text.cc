// profile_export_text.cc: folded stacks, speedscope and callgrind.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "base/json_writer.h"
#include "binary/elf/function.h"
#include "measure/profile/profile_export.h"
#include "measure/profile/profile_shares.h"

namespace tare::profile {
namespace {

using format::SampledProfile;

const format::ProfileFunction& FunctionAt(const SampledProfile& profile, std::uint32_t location) {
  return profile.functions[profile.locations[location].function];
}

// Names of functions contain no line breaks in these formats, nor separators.
std::string OneLine(std::string text, std::string_view separators = {}) {
  for (char& character : text) {
    if (static_cast<unsigned char>(character) < ' ' || character == '\x7f' ||
        separators.find(character) != std::string_view::npos)
      character = '_';
  }
  return text;
}

std::string ShownName(const format::ProfileFunction& function,
                      const std::vector<format::ProfileObject>& objects) {
  if (function.name != "[unknown]") return elf::Demangled(function.name);
  return fmt::format("[{}]", FileNameOf(objects[function.object].path));
}

std::vector<std::uint64_t> SamplesByStack(const SampledProfile& profile) {
  std::vector<std::uint64_t> counts(profile.stacks.size());
  for (const auto& sample : profile.samples) ++counts[sample.stack];
  return counts;
}

void AddSpeedscopeThread(const SampledProfile& profile, std::uint32_t thread, JsonWriter& json) {
  const auto& facts = profile.facts;
  double rate = 0;
  for (const std::uint64_t period : facts.period) {
    if (period != 0) rate += 1.0 / static_cast<double>(period);
  }
  const auto weight = static_cast<std::uint64_t>(rate > 0 ? 1 / rate : 1);
  std::vector<const format::ProfileSample*> samples;
  for (const auto& sample : profile.samples) {
    if (sample.thread == thread) samples.push_back(&sample);
  }
  const auto& about = profile.threads[thread];
  json.Raw("{");
  json.TextField("type", "sampled");
  json.TextField("name", fmt::format("{} (thread {})", about.command, about.thread));
  json.TextField("unit", facts.event == "cpu-clock" ? "nanoseconds" : "none");
  json.WholeField("startValue", 0);
  json.WholeField("endValue", weight * samples.size());
  json.Key("samples");
  json.Inline(samples, [&](const format::ProfileSample* sample) {
    const auto& stack = profile.stacks[sample->stack];
    const std::vector<std::uint32_t> outermost_first(stack.rbegin(), stack.rend());
    json.Inline(outermost_first,
                [&](std::uint32_t location) { json.Whole(profile.locations[location].function); });
  });
  json.Key("weights");
  json.Inline(samples, [&](const format::ProfileSample*) { json.Whole(weight); });
  json.Raw("}");
}

}  // namespace

std::string ToFolded(const SampledProfile& profile) {
  std::map<std::string, std::uint64_t> lines;
  std::map<std::pair<std::uint32_t, std::string>, std::uint64_t> by_command;
  for (const auto& sample : profile.samples)
    ++by_command[{sample.stack, profile.threads[sample.thread].command}];
  for (const auto& [key, count] : by_command) {
    const auto& stack = profile.stacks[key.first];
    std::string line = OneLine(key.second.empty() ? "[unknown]" : key.second, ";");
    for (auto location = stack.rbegin(); location != stack.rend(); ++location) {
      line += ';';
      line += OneLine(ShownName(FunctionAt(profile, *location), profile.objects), ";");
    }
    lines[line] += count;
  }
  std::string text;
  for (const auto& [line, count] : lines) text += fmt::format("{} {}\n", line, count);
  return text;
}

std::string ToSpeedscope(const SampledProfile& profile) {
  JsonWriter json;
  json.Raw("{");
  json.TextField("$schema", "https://www.speedscope.app/file-format-schema.json");
  json.TextField("exporter", "tare");
  json.TextField("name", profile.facts.program);
  json.Key("shared");
  json.Raw("{");
  json.Key("frames");
  json.Lines(profile.functions, 2, [&](const format::ProfileFunction& function) {
    json.Raw("{");
    json.TextField("name", ShownName(function, profile.objects));
    json.TextField("file", profile.objects[function.object].path);
    json.Raw("}");
  });
  json.Raw("}");
  std::set<std::uint32_t> sampled;
  for (const auto& sample : profile.samples) sampled.insert(sample.thread);
  json.Key("profiles");
  json.Lines(sampled, 2, [&](std::uint32_t thread) { AddSpeedscopeThread(profile, thread, json); });
  json.Raw("}\n");
  return json.Take();
}

std::string ToCallgrind(const SampledProfile& profile) {
  // By function: cost by line, and calls by line and callee with their inclusive cost.
  struct Costs {
    std::map<std::uint32_t, std::uint64_t> own;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> calls;
  };
  std::map<std::uint32_t, Costs> functions;
  std::map<std::uint32_t, std::string> files;
  const auto counts = SamplesByStack(profile);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    const auto& stack = profile.stacks[i];
    std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> seen;
    for (std::size_t depth = 0; depth < stack.size(); ++depth) {
      const auto& at = profile.locations[stack[depth]];
      if (at.file != format::kNoIndex) files.try_emplace(at.function, profile.files[at.file]);
      Costs& costs = functions[at.function];
      if (depth == 0) {
        costs.own[at.line] += counts[i];
        continue;
      }
      const std::uint32_t callee = profile.locations[stack[depth - 1]].function;
      if (seen.insert({at.function, at.line, callee}).second)
        costs.calls[{at.line, callee}] += counts[i];
    }
  }
  const auto file_of = [&](std::uint32_t function) {
    const auto found = files.find(function);
    return OneLine(found == files.end() ? "???" : found->second);
  };
  const auto object_of = [&](std::uint32_t function) {
    return OneLine(profile.objects[profile.functions[function].object].path);
  };
  const auto name_of = [&](std::uint32_t function) {
    return OneLine(ShownName(profile.functions[function], profile.objects));
  };
  std::string text = fmt::format(
      "# callgrind format\nversion: 1\ncreator: tare\ncmd: {}\npart: 1\npositions: line\n"
      "event: Samples : samples of processor time\nevents: Samples\nsummary: {}\n",
      OneLine(profile.facts.arguments), profile.samples.size());
  for (const auto& [function, costs] : functions) {
    text += fmt::format("\nob={}\nfl={}\nfn={}\n", object_of(function), file_of(function),
                        name_of(function));
    for (const auto& [line, cost] : costs.own) text += fmt::format("{} {}\n", line, cost);
    for (const auto& [call, cost] : costs.calls) {
      text += fmt::format("cob={}\ncfi={}\ncfn={}\ncalls={} 0\n{} {}\n", object_of(call.second),
                          file_of(call.second), name_of(call.second), cost, call.first, cost);
    }
  }
  text += fmt::format("\ntotals: {}\n", profile.samples.size());
  return text;
}

}  // namespace tare::profile
